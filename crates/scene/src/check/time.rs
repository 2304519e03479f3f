//! Checks what concerns time: the sizes of steps, and gravity and friction over time.

use crate::spec::{GRAVITY, Scene, not_negative_factors};
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};
use cloth_step::{Choice, StepsPerFrame};

impl Scene {
    /// Checks `steps_per_frame`, and the sizes of steps that follow from it.
    ///
    /// # Errors
    /// The field that is out of bounds.
    pub(super) fn check_steps(&self) -> Result<()> {
        let advice = "; more frames_per_second make shorter steps too";
        match self.steps_per_frame {
            StepsPerFrame::Equal(steps) => {
                count("steps_per_frame", steps, MOST_STEPS_PER_FRAME, advice)?;
            }
            StepsPerFrame::Chosen(Choice::Adaptive { at_most, at_least, error_m }) => {
                power_of_two("steps_per_frame.at_most", at_most)?;
                power_of_two("steps_per_frame.at_least", at_least)?;
                positive_within("steps_per_frame.error_m", error_m, LENGTH)?;
                self.check_adaptive(at_most, at_least)?;
            }
        }
        [self.step_s(), self.largest_step_s()].into_iter().try_for_each(check_size)
    }

    fn check_adaptive(&self, at_most: u32, at_least: u32) -> Result<()> {
        let (cause, remedy) = if at_least > at_most {
            let cause = format!("at least {at_least} steps are more than at most {at_most}");
            (cause, "choose a larger at_most or a smaller at_least (the default is 4)")
        } else if !self.bodies.is_empty() {
            ("steps of rigid bodies have equal sizes".to_owned(), "choose a number of steps")
        } else {
            return Ok(());
        };
        Err(Error::input("steps_per_frame", cause, remedy))
    }
}

fn power_of_two(at: &str, steps: u32) -> Result<()> {
    count(at, steps, MOST_STEPS_PER_FRAME, "")?;
    if steps.is_power_of_two() {
        return Ok(());
    }
    let above = steps.next_power_of_two();
    let cause = format!("{steps} is no power of two, and steps are halved and doubled");
    Err(Error::input(at, cause, format!("choose {} or {above}", above / 2)))
}

fn check_size(step_s: f64) -> Result<()> {
    let (bound, remedy) = match step_s {
        SHORTEST_STEP_S..=LONGEST_STEP_S => return Ok(()),
        0.0..SHORTEST_STEP_S => (
            format!("less than {SHORTEST_STEP_S:e} s"),
            "choose fewer steps_per_frame or frames_per_second; usual are steps of about 1 ms",
        ),
        _ => (
            format!("more than {LONGEST_STEP_S} s"),
            "choose more steps a frame, of about 1 ms each",
        ),
    };
    let cause = format!("a time step takes {} s, {bound}", shown(step_s));
    Err(Error::input("frames_per_second, steps_per_frame", cause, remedy))
}

impl Scene {
    /// Checks the keys of friction.
    pub(super) fn check_friction(&self) -> Result<()> {
        let (keys, at) = (&self.friction_keyframes, "friction_keyframes");
        not_negative_factors(keys, at)?;
        if keys.is_empty() || !self.is_divided() {
            return Ok(());
        }
        let cause = "friction of rigid bodies alone is constant";
        Err(Error::input(at, cause, "leave it out, or write engine: Contact"))
    }

    /// Checks that gravity is said once.
    pub(super) fn check_gravity(&self) -> Result<()> {
        let (keys, at) = (&self.gravity_keyframes, "gravity_keyframes");
        if keys.is_empty() {
            return Ok(());
        }
        if !self.bodies.is_empty() {
            let cause = "gravity of rigid bodies is constant";
            return Err(Error::input(at, cause, "write gravity_m_per_s2 instead"));
        }
        if self.gravity_m_per_s2 != GRAVITY {
            let cause = "the scene has gravity_m_per_s2 too, and the keys take its place";
            return Err(Error::input(at, cause, "leave one of them out"));
        }
        Ok(())
    }
}
