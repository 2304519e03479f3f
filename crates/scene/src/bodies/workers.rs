//! Workers of a scene: the homes of the bodies.

use crate::bodies::setup::{Movement, RigidSetup};
use crate::bodies::spec::Parallel;
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};
use cloth_rigid::Body;
use cloth_rigid::fixed::FixedShape;
use cloth_rigid::shape::Shape;
use cloth_rigid::solid::Geometry;
use cloth_workers::homes;
use cloth_workers::{Division, WorkerSettings};

/// What is needed to make workers.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerPlan {
    /// Their settings.
    pub settings: WorkerSettings,
    /// All free bodies at the start, by rising id.
    pub bodies: Vec<Body>,
    /// The home of each.
    pub homes: Vec<u8>,
}

impl RigidSetup {
    /// What is needed to make the workers of the scene. None if it has no workers.
    ///
    /// # Errors
    /// If a setting is out of its bounds, or a name is wrong.
    pub fn worker_plan(&self) -> Result<Option<WorkerPlan>> {
        let Parallel::Workers { division, .. } = &self.parallel else { return Ok(None) };
        let Some(settings) = self.parallel.settings() else { return Ok(None) };
        if settings.count.target().is_some() && matches!(division, Division::Groups(_)) {
            let cause =
                "`Groups` names the bodies of each worker, and with `count: Auto` they change";
            let remedy = "use another division, or give a number of workers";
            return Err(Error::input("parallel.division", cause, remedy));
        }
        settings.check("parallel", self.body_count())?;
        let made = self.generators.iter().map(|it| (0..it.count()).map(|number| it.body(number)));
        let bodies: Vec<Body> = made.flatten().collect();
        if settings.has_rapier() {
            self.check_no_meshes(&bodies)?;
        }
        let count = settings.count.at_start(bodies.len(), self.joints.all().len());
        let homes = match division {
            Division::Groups(workers) => self.homes_of_groups(workers, count, &bodies)?,
            other => homes::homes(other, &bodies, &self.joints, count)?,
        };
        Ok(Some(WorkerPlan { settings, bodies, homes }))
    }

    /// Fails if a body is a closed mesh: `Rapier` has none.
    fn check_no_meshes(&self, bodies: &[Body]) -> Result<()> {
        let free = bodies.iter().map(|body| (body.id, &body.shape));
        let fixed = self.fixed.bodies().iter().filter_map(|body| match &body.shape {
            FixedShape::Shape(shape) => Some((body.id, shape)),
            FixedShape::HalfSpace => None,
        });
        let is_mesh = |shape: &Shape| {
            let solid = shape.solid().map(|solid| &self.solids.get(solid).geometry);
            matches!(solid, Some(Geometry::Mesh(_)))
        };
        let Some((id, _)) = free.chain(fixed).find(|(_, shape)| is_mesh(shape)) else {
            return Ok(());
        };
        let at = format!("bodies[{}].shape", self.group_of(id));
        let cause = format!("`{}` is a closed mesh, and `Rapier` has none", self.name_of(id));
        Err(Error::input(at, cause, "use a `Hull` or a `Compound`, or write `engines: [Own]`"))
    }

    /// The homes of `bodies` if each worker has the groups with its names.
    fn homes_of_groups(
        &self,
        workers: &[Vec<String>],
        count: u32,
        bodies: &[Body],
    ) -> Result<Vec<u8>> {
        const AT: &str = "parallel.division";
        if workers.len() != count as usize {
            let cause = format!("{} lists of names for {count} workers", workers.len());
            return Err(Error::input(AT, cause, "write one list for each worker"));
        }
        let free = self.groups.iter().filter(|group| group.movement == Movement::Free);
        let known: Vec<&str> = free.map(|group| group.name.as_str()).collect();
        let named = |worker: &Vec<String>, name: &str| worker.iter().any(|it| it == name);
        if let Some(name) = workers.iter().flatten().find(|name| !known.contains(&name.as_str())) {
            let cause = format!("there are no free bodies `{name}`");
            return Err(Error::input(AT, cause, did_you_mean(name, &known)));
        }
        for name in &known {
            let homes = workers.iter().filter(|worker| named(worker, name)).count();
            if homes != 1 {
                let cause = format!("{homes} workers have the bodies `{name}`");
                return Err(Error::input(AT, cause, "name each entry of `bodies` once"));
            }
        }
        let home = |body: &Body| {
            let name = &self.groups[self.group_of(body.id)].name;
            workers.iter().position(|worker| named(worker, name)).unwrap_or(0) as u8
        };
        Ok(bodies.iter().map(home).collect())
    }
}
