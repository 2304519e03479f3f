//! A run as one page for a browser: 3D playback and charts, without a network.
//!
//! | module | |
//! |---|---|
//! | [`content`] | all that a page shows of a run |
//! | [`stage`] | the surfaces and bodies of each frame; [`cloth`] and [`bodies`] are the kinds |
//! | [`posed`] | rigid bodies among cloth |
//! | [`cloth_values`] | gaps of cloth, and the factors of its maps |
//! | [`arrays`] | a frame, and its numbers as text |
//! | [`bounds`] | the box around positions |
//! | [`charts`], [`chart_kinds`] | the charts; those of each kind of run |
//! | [`panel`] | facts and warnings in words |
//! | [`limit`] | fewer frames and faces if a page would be too large |
//! | [`page`] | the HTML file; the folder `page/` beside `src/` has its style, scripts and libraries |
//! | [`live`] | the page of a run that goes on, from a server on this machine |

mod arrays;
pub mod bodies;
mod bounds;
mod chart_kinds;
mod charts;
mod cloth;
mod cloth_values;
pub mod content;
pub mod limit;
pub mod live;
pub mod page;
mod panel;
mod posed;
pub mod stage;

pub use self::arrays::{Arrays, FrameBlock};
pub use self::bodies::BodyStage;
pub use self::bounds::Bounds;
pub use self::charts::{ChartKind, ChartLine, ChartRecords, Charts, CurveOf, LoadOfWorker, Take};
pub use self::cloth::ClothStage;
pub use self::cloth_values::{Gaps, MappedSetting};
pub use self::content::View;
pub use self::limit::Kept;
pub use self::live::Live;
pub use self::panel::Section;
pub use self::posed::Posed;
pub use self::stage::{BodiesHead, JointHead, ObjectHead, Role, ShapeHead, Stage, Still};
