//! Which pictures a command makes: frames, directions of the camera, and how long each is seen.

use cloth_core::error::{Error, Result};

use crate::program::check::Record;
use crate::program::picture::PictureArguments;

/// Pictures a second of a turn, and the most of an animation.
const OF_TURN: f64 = 20.0;
const OF_ANIMATION: f64 = 30.0;

/// Time of a turn, s.
const TURN_S: f64 = 3.0;

/// The last picture of an animation is seen this long, in 1/100 s. Then it begins again.
const LAST_CS: u16 = 100;

/// Programs show pictures that follow each other faster than this much slower, in 1/100 s.
const FASTEST_CS: u16 = 2;

/// A picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shot {
    /// The frame.
    pub frame: u64,
    /// Azimuth and elevation of the camera, degrees.
    pub from_deg: [f64; 2],
    /// How long it is seen, in 1/100 s.
    pub delay_cs: u16,
}

/// The pictures of a file. There is at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// In their order.
    pub shots: Vec<Shot>,
    /// The name of the file, if the user gives none.
    pub name: String,
    /// Whether it moves.
    pub moves: bool,
}

impl Sequence {
    /// What `arguments` ask for.
    ///
    /// # Errors
    /// Frames that the run does not have.
    pub fn new(arguments: &PictureArguments, record: &Record) -> Result<Self> {
        let last = record.frames.end.saturating_sub(1);
        let inside = |option: &str, number: Option<u64>, default: u64| match number {
            Some(number) if !record.frames.contains(&number) => {
                let cause = format!("the run has no frame {number}");
                let remedy = format!("choose one from {} to {last}", record.frames.start);
                Err(Error::input(option, cause, remedy))
            }
            number => Ok(number.unwrap_or(default)),
        };
        let from_deg = arguments.from;
        if arguments.animation {
            let first = inside("--first", arguments.first, record.frames.start)?;
            let last = inside("--last", arguments.last, last)?;
            if last < first {
                let cause = format!("the last frame, {last}, is before the first one, {first}");
                return Err(Error::input("--last", cause, "exchange them"));
            }
            let shots = animation(arguments, first, last, record.frame_s());
            return Ok(Self { shots, name: "animation.gif".to_owned(), moves: true });
        }
        let frame = inside("--frame", arguments.frame, last)?;
        if arguments.turntable {
            let (shots, name) = (turn(arguments, frame), format!("turntable_{frame:04}.gif"));
            return Ok(Self { shots, name, moves: true });
        }
        let shots = vec![Shot { frame, from_deg, delay_cs: 0 }];
        Ok(Self { shots, name: format!("picture_{frame:04}.png"), moves: false })
    }

    /// Leaves out pictures of frames that are not among `numbers`. The pictures before are seen
    /// longer.
    pub fn keep(&mut self, numbers: &[u64]) {
        let mut kept = Vec::<Shot>::new();
        for shot in &self.shots {
            match kept.last_mut() {
                _ if numbers.contains(&shot.frame) => kept.push(*shot),
                Some(before) => before.delay_cs = before.delay_cs.saturating_add(shot.delay_cs),
                None => {}
            }
        }
        self.shots = kept;
    }
}

/// The pictures of one turn to the right around `frame`.
fn turn(arguments: &PictureArguments, frame: u64) -> Vec<Shot> {
    let seconds = arguments.seconds.unwrap_or(TURN_S);
    let count = (seconds * arguments.frames_per_second.unwrap_or(OF_TURN)).round().max(2.0);
    let [azimuth, elevation] = arguments.from;
    let delays = delays((0..=count as u64).map(|it| it as f64 / count * seconds));
    let shot = |(number, delay_cs): (usize, u16)| Shot {
        frame,
        from_deg: [azimuth + 360.0 * number as f64 / count, elevation],
        delay_cs,
    };
    delays.into_iter().enumerate().map(shot).collect()
}

/// The frames from `first` to `last`, of a run with a frame every `frame_s` seconds: at most so
/// many a second, and always the last one.
fn animation(arguments: &PictureArguments, first: u64, last: u64, frame_s: f64) -> Vec<Shot> {
    let whole_s = (last - first).max(1) as f64 * frame_s;
    let stretch = arguments.seconds.map_or(1.0, |seconds| seconds / whole_s);
    let most = arguments.frames_per_second.unwrap_or(OF_ANIMATION);
    // The conversion saturates. A little slack, because times are rounded.
    let every = (1.0 / (most * frame_s * stretch) - 1e-6).ceil().max(1.0) as usize;
    let mut frames = Vec::from_iter((first..=last).step_by(every));
    if frames.last() != Some(&last) {
        frames.push(last);
    }
    let times = frames.iter().map(|it| (it - first) as f64 * frame_s * stretch);
    let mut delays = delays(times);
    delays.push(LAST_CS);
    let from_deg = arguments.from;
    let shot = |(frame, delay_cs): (u64, u16)| Shot { frame, from_deg, delay_cs };
    frames.into_iter().zip(delays).map(shot).collect()
}

/// The times between these `times` (s), in 1/100 s. They are rounded so that their sum is right.
fn delays(times: impl Iterator<Item = f64>) -> Vec<u16> {
    let ends = Vec::from_iter(times.map(|it| (100.0 * it).round()));
    // The conversion saturates.
    let delay = |pair: &[f64]| ((pair[1] - pair[0]) as u16).max(FASTEST_CS);
    ends.windows(2).map(delay).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: PictureArguments,
    }

    fn arguments(words: &[&str]) -> PictureArguments {
        Line::parse_from([&["picture", "run"], words].concat()).arguments
    }

    #[test]
    fn an_animation_takes_the_time_of_the_run_and_ends_with_its_last_frame() {
        let all = animation(&arguments(&["--animation"]), 0, 25, 1.0 / 25.0);
        assert_eq!((all.len(), all[0].delay_cs, all[25].delay_cs), (26, 4, LAST_CS));
        // 60 frames a second are too many: every second one is shown.
        let half = animation(&arguments(&["--animation"]), 0, 61, 1.0 / 60.0);
        assert_eq!(half.iter().map(|it| it.frame).nth_back(1), Some(60));
        assert_eq!(half.last().map(|it| it.frame), Some(61));
        let sum: u32 = half.iter().rev().skip(2).map(|it| u32::from(it.delay_cs)).sum();
        assert_eq!(sum, 100);
        let slow = animation(&arguments(&["--animation", "--seconds", "10"]), 0, 25, 1.0 / 25.0);
        assert_eq!((slow.len(), slow[3].delay_cs), (26, 40));
        assert_eq!(animation(&arguments(&["--animation"]), 3, 3, 0.1).len(), 1);
    }

    #[test]
    fn a_turn_ends_where_it_began() {
        let turn = turn(&arguments(&["--turntable", "--frames-per-second", "10"]), 7);
        assert_eq!((turn.len(), turn[1].delay_cs), (30, 10));
        assert_eq!(turn[10].from_deg[0] - turn[0].from_deg[0], 120.0);
    }

    #[test]
    fn a_frame_that_is_missing_leaves_its_time_to_the_one_before() {
        let shots = animation(&arguments(&["--animation"]), 0, 4, 0.1);
        let mut sequence = Sequence { shots, name: String::new(), moves: true };
        sequence.keep(&[1, 2, 4]);
        let delays = Vec::from_iter(sequence.shots.iter().map(|it| it.delay_cs));
        assert_eq!(delays, [10, 20, LAST_CS]);
    }
}
