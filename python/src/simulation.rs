//! Simulations.

use std::sync::Arc;
use std::time::Duration;

use bytemuck::cast_slice;
use cloth_sim::error::{Error, Result};
use cloth_sim::math::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PySlice};

use crate::arguments::{vectors, whole, whole_from};
use crate::arrays::{array, table};
use crate::bodies;
use crate::error::{exception, raised};
use crate::rank::Rank;
use crate::ranks::{Answer, Ranks};
use crate::saved::{sealed, unsealed};
use crate::scene::Scene;
use crate::set_up::{Facts, set_up};
use cloth_sim::program::cli::Computing;

/// How often a wait looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// A simulation that is computed step by step.
#[pyclass(frozen, module = "cloth_sim")]
pub struct Simulation {
    scene: Py<Scene>,
    ranks: Ranks,
    facts: Facts,
}

impl Simulation {
    /// The result of `work` on rank 0. All ranks do it. Python runs meanwhile. Ctrl-C is raised
    /// when the work is done.
    fn ask<T: Send + 'static>(
        &self,
        py: Python,
        work: impl Fn(&mut Rank) -> Result<T> + Send + Sync + 'static,
    ) -> PyResult<T> {
        let mut asked = raised(self.ranks.ask(work))?;
        let mut interrupted = Ok(());
        let done = loop {
            match py.detach(|| asked.wait(LOOK)) {
                Answer::Waiting if interrupted.is_ok() => interrupted = py.check_signals(),
                Answer::Waiting => {}
                Answer::Done(done) => break done,
                Answer::Ended => break Err(py.detach(|| self.ranks.end())),
            }
        };
        interrupted.and_then(|()| py.check_signals())?;
        raised(done)
    }

    /// One step, and its report if it is `asked` for.
    fn do_step<'py>(
        &self,
        py: Python<'py>,
        forces: Option<Arc<Vec<Vec3>>>,
        asked: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let step = move |rank: &mut Rank| {
            rank.step(forces.as_ref().map(|forces| forces.as_slice()), asked)
        };
        let text = self.ask(py, step)?;
        let read = |text: String| py.import("json")?.call_method1("loads", (text,));
        text.map(read).transpose()
    }

    /// The pin with this number.
    fn pin(&self, number: i64) -> PyResult<usize> {
        let count = self.facts.pins.len();
        let pin = usize::try_from(number).ok().filter(|&pin| pin < count);
        pin.ok_or_else(|| {
            let cause = format!("there is no pin {number}");
            let remedy = format!("the scene has {count}; they are numbered from 0");
            exception(Error::input("pin", cause, remedy))
        })
    }
}

#[pymethods]
impl Simulation {
    /// Builds the bodies of `scene` and starts `ranks` ranks (threads of this process) with
    /// `threads` threads each; None: as many as there are cores. Results have the same bits for any
    /// number.
    #[new]
    #[pyo3(signature = (scene, *, ranks=1, threads=None))]
    fn new(py: Python, scene: Py<Scene>, ranks: i64, threads: Option<i64>) -> PyResult<Self> {
        let ranks = whole_from(1, ranks, "ranks")?;
        let threads = threads.map(|threads| whole_from(1, threads, "threads")).transpose()?;
        let computing = Computing { ranks: Some(ranks), threads, ..Computing::default() };
        let of_scene = scene.get();
        let set_up = || set_up(&of_scene.complete, &of_scene.file, &computing);
        let (ranks, facts) = raised(py.detach(set_up))?;
        let simulation = Self { scene, ranks, facts };
        // Shows that all ranks have begun.
        simulation.ask(py, |_| Ok(()))?;
        Ok(simulation)
    }

    /// Does one whole step. `forces` (N) have a row for each cloth vertex; they act in this step
    /// only, besides the loads of the scene. Returns what rank 0 reports: times in s and counts, as
    /// a line of `steps.jsonl` has them.
    #[pyo3(signature = (forces=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        forces: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let forces = forces.map(|forces| vectors(forces, "forces")).transpose()?;
        self.do_step(py, forces.map(Arc::new), true)
    }

    /// Does `steps` whole steps. After each calls `observer(simulation, report)`, which may read
    /// and set all of the simulation, and ends the run if it returns False. Ctrl-C ends the run
    /// after a step; the simulation can go on.
    #[pyo3(signature = (steps, observer=None))]
    fn run(slf: &Bound<Self>, steps: i64, observer: Option<&Bound<PyAny>>) -> PyResult<()> {
        for _ in 0..whole::<u64>(steps, "steps")? {
            let report = slf.get().do_step(slf.py(), None, observer.is_some())?;
            if let Some(observer) = observer {
                let answer = observer.call1((slf, report))?;
                if answer.extract::<bool>().is_ok_and(|goes_on| !goes_on) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Its scene.
    #[getter]
    fn scene(&self, py: Python) -> Py<Scene> {
        self.scene.clone_ref(py)
    }

    /// What computes it: `cloth`, or `bodies` for a scene of rigid bodies alone.
    #[getter]
    fn kind(&self) -> &str {
        self.facts.kind
    }

    /// What is odd about the scene and its meshes.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.facts.warnings.clone()
    }

    /// Whole steps since the start.
    #[getter]
    fn steps(&self, py: Python) -> PyResult<u64> {
        Ok(self.ask(py, |rank| Ok(rank.time()))?.0)
    }

    /// Time since the start, s.
    #[getter]
    fn time_s(&self, py: Python) -> PyResult<f64> {
        Ok(self.ask(py, |rank| Ok(rank.time()))?.1)
    }

    /// Positions of all cloth vertices, m: a new array of shape (vertices, 3), cloth after cloth.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array(py, &self.ask(py, |rank| Ok(rank.cloth()?.positions().to_vec()))?)
    }

    /// Velocities of all cloth vertices, m/s, as `positions`.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array(py, &self.ask(py, |rank| Ok(rank.cloth()?.velocities().to_vec()))?)
    }

    /// Sets positions (m) and velocities (m/s) of all cloth vertices, before the next step. Pins
    /// stay. Refused if surfaces would cross or be nearer than the clearance.
    fn set_motion(
        &self,
        py: Python,
        positions: &Bound<PyAny>,
        velocities: &Bound<PyAny>,
    ) -> PyResult<()> {
        let (x, v) = (vectors(positions, "positions")?, vectors(velocities, "velocities")?);
        self.ask(py, move |rank| rank.cloth()?.set_motion(&x, &v))
    }

    /// The triangles of all cloths: their vertices as rows of `positions`, of shape (faces, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        table(py, cast_slice(&self.facts.faces), 3)
    }

    /// The mass of each cloth vertex, kg.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.facts.masses)
    }

    /// The rows of `positions` of each cloth, as a slice by its name.
    #[getter]
    fn cloths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (cloths, mut start) = (PyDict::new(py), 0);
        for (name, end) in &self.facts.cloths {
            cloths.set_item(name, PySlice::new(py, start, *end as isize, 1))?;
            start = *end as isize;
        }
        Ok(cloths)
    }

    /// The vertices of each pin, as rows of `positions`. Pins of all cloths are numbered in the
    /// order of the scene.
    #[getter]
    fn pins<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyArray1<u32>>> {
        self.facts.pins.iter().map(|vertices| PyArray1::from_slice(py, vertices)).collect()
    }

    /// The places (m) where pin `pin` holds its vertices; no rows before it takes hold. A pin that
    /// starts at 0 holds from the start.
    fn handle<'py>(&self, py: Python<'py>, pin: i64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let pin = self.pin(pin)?;
        array(py, &self.ask(py, move |rank| Ok(rank.cloth()?.handle(pin)))?)
    }

    /// Leads the vertices of pin `pin` to `places` (m, a row for each) in the next step, and holds
    /// them there. The pin must hold now and have no motion of its own.
    fn set_handle(&self, py: Python, pin: i64, places: &Bound<PyAny>) -> PyResult<()> {
        let (pin, places) = (self.pin(pin)?, vectors(places, "places")?);
        self.ask(py, move |rank| rank.cloth()?.set_handle(pin, &places))
    }

    /// Positions (m) of the vertices of each surface that a frame shows, by its name: cloths, rigid
    /// bodies among cloth (`body_NAME`), and obstacles that move.
    fn surfaces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let frame = self.ask(py, |rank| rank.frame())?;
        bodies::surfaces(py, &self.facts.surfaces, &frame)
    }

    /// The rigid bodies, as arrays with a row for each: `id`, `position` (centre of mass, m),
    /// `rotation` (unit quaternion x, y, z, w), `velocity` (m/s), `angular_velocity` (rad/s).
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let frame = self.ask(py, |rank| rank.frame())?;
        bodies::bodies(py, &frame)
    }

    /// The names of the rows of `bodies`, as the scene and messages call them.
    fn body_names(&self, py: Python) -> PyResult<Vec<String>> {
        let Facts { cloths, surfaces, setup, .. } = &self.facts;
        let Some(setup) = setup.clone() else {
            let bodies = surfaces.iter().skip(cloths.len());
            let names = bodies.filter_map(|name| name.strip_prefix("body_"));
            return Ok(names.map(str::to_owned).collect());
        };
        let frame = self.ask(py, |rank| rank.frame())?;
        Ok(frame.bodies.iter().map(|body| setup.name_of(body.id)).collect())
    }

    /// Adds a force (N, through the centre of mass) and a torque (N m) on the body with the id
    /// `body` for the next step, in a scene of bodies alone.
    #[pyo3(
        signature = (body, force=[0.0; 3], torque=[0.0; 3]),
        text_signature = "($self, body, force=(0, 0, 0), torque=(0, 0, 0))"
    )]
    fn push(&self, py: Python, body: i64, force: [f64; 3], torque: [f64; 3]) -> PyResult<()> {
        let body = whole(body, "body")?;
        let setup = self.facts.setup.as_ref();
        let is_free = setup.is_some_and(|setup| setup.body(body).is_some());
        let is_finite = force.iter().chain(&torque).all(|x| x.is_finite());
        let cause = match (is_free, is_finite) {
            (true, true) => {
                return self.ask(py, move |rank| {
                    rank.push(body, force.into(), torque.into());
                    Ok(())
                });
            }
            (true, false) => "a number of its force or torque is not finite",
            (false, _) => "there is no free body of this number in a scene of bodies alone",
        };
        let remedy = "give finite numbers, and the `id` of a body of `bodies()`";
        Err(exception(Error::input(format!("body {body}"), cause, remedy)))
    }

    /// The mean forces of the last step in a scene of bodies alone with `output: (forces: true)`;
    /// else None. Arrays with a row for each contact (`contact_bodies`, `contact_point` m,
    /// `contact_normal`, `contact_force` N on the first body) and each joint (`joint`,
    /// `joint_force` N, `joint_torque` N m).
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let frame = self.ask(py, |rank| rank.frame())?;
        frame.forces.map(|forces| bodies::forces(py, &forces)).transpose()
    }

    /// Number of active contacts of each cloth vertex in the last step.
    fn contact_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let counts = self.ask(py, |rank| rank.cloth()?.contact_counts())?;
        Ok(PyArray1::from_vec(py, counts))
    }

    /// Kinetic, gravitational and elastic energy of cloths and bodies among them, of joints and of
    /// seams, J. The energy of gravity is zero at the origin, and left out if gravity has
    /// keyframes.
    fn total_energy(&self, py: Python) -> PyResult<f64> {
        self.ask(py, |rank| rank.cloth()?.total_energy())
    }

    /// Prescribed bodies that wait for room: name, since when (s), and how far they are behind (m).
    fn waiting(&self, py: Python) -> PyResult<Vec<(String, f64, f64)>> {
        let waiting = self.ask(py, |rank| Ok(rank.cloth()?.waiting()))?;
        Ok(waiting.into_iter().map(|it| (it.name, it.since_s, it.behind_m)).collect())
    }

    /// The state, for `restore`, with a hash by which damage is found.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &sealed(self.ask(py, |rank| rank.save())?)))
    }

    /// Goes back or on to a state that `save` gave for the same scene, or that a run folder has.
    /// Further steps have the same bits as after that.
    fn restore(&self, py: Python, saved: PyBackedBytes) -> PyResult<()> {
        let state = raised(unsealed(&saved))?.to_vec();
        self.ask(py, move |rank| rank.restore(&state))
    }

    /// The hash of the state, as in `steps.jsonl`. Simulations with equal hashes go on alike.
    fn hash(&self, py: Python) -> PyResult<String> {
        Ok(format!("{:016x}", self.ask(py, |rank| rank.hash())?))
    }

    fn __repr__(&self) -> String {
        format!("<Simulation of `{}` ({})>", self.scene.get().complete.name, self.facts.kind)
    }
}
