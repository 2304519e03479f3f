//! The arguments of `picture`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::program::picture::ColourBy;
use crate::program::print::ResultFormat;

/// Pixels of a picture along each side.
const LEAST: u32 = 16;
const MOST: u32 = 8192;

/// The size of a picture, and of one that moves, pixels.
const SIZE: [u32; 2] = [1280, 720];
const MOVING_SIZE: [u32; 2] = [640, 360];

/// Whether joints are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Joints {
    /// They are.
    Show,
    /// They are not.
    Hide,
}

/// Arguments of `picture`.
#[derive(Debug, Clone, Args)]
pub struct PictureArguments {
    /// The run folder. The run may still be going on, or have ended early.
    pub folder: PathBuf,

    /// The frame that is drawn [default: the last one].
    #[arg(long, value_name = "N", conflicts_with = "animation")]
    pub frame: Option<u64>,

    /// Draw the frame from all sides, as a GIF file.
    #[arg(long, conflicts_with = "animation")]
    pub turntable: bool,

    /// Draw all frames, one after the other, as a GIF file.
    #[arg(long)]
    pub animation: bool,

    /// The first frame of an animation [default: that of the run].
    #[arg(long, value_name = "N", requires = "animation")]
    pub first: Option<u64>,

    /// The last frame of an animation [default: that of the run].
    #[arg(long, value_name = "N", requires = "animation")]
    pub last: Option<u64>,

    /// The file [default: picture_N.png, turntable_N.gif or animation.gif in the run folder].
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the file even if it is no picture of this program.
    #[arg(long, requires = "output")]
    pub overwrite: bool,

    /// Width and height in pixels [default: 1280x720; 640x360 if it moves].
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub size: Option<[u32; 2]>,

    /// Where the camera stands: front, back, left, right, top, bottom, or degrees to the right of
    /// the front and above it, such as 45,20 [default: 26.6,20.6].
    #[arg(
        long,
        value_name = "SIDE",
        value_parser = from,
        allow_hyphen_values = true,
        default_value = "26.6,20.6",
        hide_default_value = true
    )]
    pub from: [f64; 2],

    /// What colours show.
    #[arg(long, visible_alias = "color", value_name = "WHAT", default_value = "fabric")]
    pub colour: ColourBy,

    /// Whether joints are drawn as yellow points and lines [default: show fewer than 200].
    #[arg(long, value_name = "CHOICE")]
    pub joints: Option<Joints>,

    /// How long a turn or an animation takes, seconds [default: 3 of a turn; the time of the run].
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<f64>,

    /// Pictures a second [default: 20 of a turn; at most 30 of an animation].
    #[arg(long, value_name = "N", value_parser = pictures_a_second)]
    pub frames_per_second: Option<f64>,

    /// Leave out the scale of colours.
    #[arg(long)]
    pub no_legend: bool,

    /// Print only errors.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// How the result is printed.
    #[command(flatten)]
    pub result: ResultFormat,
}

impl PictureArguments {
    /// Width and height, pixels.
    pub fn pixels(&self) -> [u32; 2] {
        let moves = self.turntable || self.animation;
        self.size.unwrap_or(if moves { MOVING_SIZE } else { SIZE })
    }
}

/// Width and height, pixels.
fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').map(|(width, height)| [width, height].map(str::parse::<u32>));
    match sides {
        Some([Ok(width), Ok(height)])
            if [width, height].iter().all(|it| (LEAST..=MOST).contains(it)) =>
        {
            Ok([width, height])
        }
        _ => Err(format!("write two numbers from {LEAST} to {MOST}, such as 1280x720")),
    }
}

/// Azimuth and elevation, degrees.
fn from(text: &str) -> Result<[f64; 2], String> {
    let side = match text {
        "front" => [0.0, 0.0],
        "right" => [90.0, 0.0],
        "back" => [180.0, 0.0],
        "left" => [-90.0, 0.0],
        "top" => [0.0, 90.0],
        "bottom" => [0.0, -90.0],
        _ => {
            let angles =
                text.split_once(',').map(|(a, b)| [a, b].map(|it| it.trim().parse::<f64>()));
            match angles {
                Some([Ok(azimuth), Ok(elevation)])
                    if azimuth.abs() <= 360.0 && elevation.abs() <= 90.0 =>
                {
                    [azimuth, elevation]
                }
                _ => {
                    let sides = "front, back, left, right, top or bottom";
                    return Err(format!("write {sides}, or two angles such as 45,20"));
                }
            }
        }
    };
    Ok(side)
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|it: &f64| *it > 0.0 && *it <= 600.0);
    seconds.ok_or_else(|| "write a number above 0 and up to 600, such as 3".to_owned())
}

fn pictures_a_second(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|it: &f64| (1.0..=50.0).contains(it));
    number.ok_or_else(|| "write a number from 1 to 50, such as 20".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_sides_are_read_or_refused() {
        assert_eq!(size("640x360"), Ok([640, 360]));
        for bad in ["640", "0x10", "640x", "x360", "99999x99999", "-5x20", "640x360x2"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        assert_eq!(from("26.6,20.6"), Ok([26.6, 20.6]));
        assert_eq!(from("-30, 5"), Ok([-30.0, 5.0]));
        for bad in ["north", "45", "NaN,3", "0,91", "1,2,3"] {
            assert!(from(bad).is_err(), "{bad}");
        }
        assert!(seconds("0").is_err() && seconds("NaN").is_err() && seconds("2.5").is_ok());
        assert!(pictures_a_second("0").is_err() && pictures_a_second("inf").is_err());
    }
}
