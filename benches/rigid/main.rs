//! Rigid bodies: the tables of Iglberger & Rüde 2009 and of Eibl & Rüde 2018, and speeds.
//!
//! `cargo bench --bench rigid -- WHAT [name=value]...`, for example `speed scene=gas count=100000`.
//!
//! | what | |
//! |---|---|
//! | `speed` | PUpCS of one scene; overlap and energy |
//! | `sizes` | cost of a body from 10^3 to 10^6 bodies |
//! | `strong` | a fixed number of spheres on grids of 1, 2 and 3 dimensions |
//! | `weak` | messages and bytes of a rank with 8 to 512 ranks |
//! | `methods` | shadow owners over next neighbours; the share of synchronisation |
//! | `large` | a sphere over many subdomains: next neighbours refuse it, shadow owners do not |
//! | `saved` | bytes and seconds of the saved state |
//! | `export` | writes the bodies of a scene for other programs (`benches/peers/rigid.sh`) |
//!
//! | name | |
//! |---|---|
//! | `scene` | `gas`, `sparse`, `dense`, `well`; `count` is the number of its bodies |
//! | `steps`, `warm_up` | measured steps, steps before them |
//! | `grid`, `ranks`, `threads` | `grid=2x1x1` |
//! | `synchronisation` | `next` or `shadow` |
//! | `response` | `ffd`, or the number of sweeps of the non-smooth method |
//! | `repeat` | runs of which the fastest counts |
//! | `csv` | a file to which the rows are appended, for `benches/rigid/draw.py` |
//! | `out` | the folder of `export` |

mod export;
mod measure;
mod plan;
mod saved;
mod scenes;
mod tables;

use crate::plan::Plan;

fn main() {
    // `cargo bench` adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let what = arguments.first().map_or("speed", String::as_str);
    let plan = Plan::new(arguments.get(1..).unwrap_or_default());
    match what {
        "speed" => tables::speed(&plan),
        "sizes" => tables::sizes(&plan),
        "strong" => tables::strong(&plan),
        "weak" => tables::weak(&plan),
        "methods" => tables::methods(&plan),
        "large" => tables::large(&plan),
        "saved" => saved::saved(&plan),
        "export" => export::export(&plan),
        other => {
            panic!("{other} is none of speed, sizes, strong, weak, methods, large, saved, export")
        }
    }
}
