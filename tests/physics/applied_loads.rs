//! Forces, pressure, extra masses, quadratic drag, starts in motion and gravity over time, against
//! closed forms.

use std::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;

use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::{ClothSetup, ExtraMass, Force, Pressure};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::Mesh;
use cloth_sim::scene::{self, Scene};
use cloth_sim::step::{GravityKey, Simulation};

use crate::physics::*;

const DENSITY: f64 = 0.2;

/// Prints the computed and the exact value; returns the relative error.
fn error(what: &str, found: f64, exact: f64) -> f64 {
    let error = found / exact - 1.0;
    println!("{what}: {found:.6}, exact {exact:.6}, {:+.3} %", 100.0 * error);
    error
}

fn weightless(scene: Scene) -> Scene {
    Scene { gravity_m_per_s2: [0.0; 3], ..scene }
}

const ALONG: u32 = 40;
const CELL: f64 = 0.01;
/// Length of a clamped strip: from the last held column, m.
const LENGTH: f64 = (ALONG as f64 - 1.0) * CELL;
const WIDTH: f64 = 4.0 * CELL;
/// Flexural rigidity, N m.
const RIGIDITY: f64 = 0.1;

/// Where the tip of a weightless clamped strip comes to rest, m: how far along x from the clamp,
/// and how far along y. It starts as an arc whose tip has turned by `turn` (rad), under the `force`
/// (N) on its end; `damping` is in units of its first angular frequency.
fn tip_at_rest(force: Vec3, turn: f64, damping: f64) -> [f64; 2] {
    let first = 3.516 * (RIGIDITY / DENSITY).sqrt() / (LENGTH * LENGTH);
    let material = Material {
        mass_damping_per_s: damping * first,
        ..Material::isotropic(DENSITY, 2e4, 0.0, RIGIDITY)
    };
    let mut cloth = cloth(strip(ALONG, 4, CELL, Cut::Rising), material);
    hold(&mut cloth, |p| p.x < 1.5 * CELL);
    let end = vertices_where(&cloth.rest, |p| p.x > (f64::from(ALONG) - 0.5) * CELL);
    let load = Force { vertices: end.clone(), force_n: force, amplitude: Vec::new() };
    cloth.loads.forces.push(load);
    for p in cloth.positions.iter_mut().filter(|p| p.x > 1.5 * CELL && turn != 0.0) {
        let (radius, angle) = (LENGTH / turn, (p.x - CELL) / LENGTH * turn);
        let y = radius * (1.0 - angle.cos());
        *p = Vec3::new(CELL + radius * angle.sin(), y, p.z);
    }
    simulate(&weightless(statics(0.008)), alone(cloth), |simulation| {
        settle(simulation, 1e-5, 30.0)?;
        let x = simulation.positions();
        Ok([mean(&end, |v| x[v].x) - CELL, mean(&end, |v| x[v].y)])
    })
}

/// Sze, Liu & Lo 2004, table 1: a cantilever of length 10 with EI = 100 under up to 4 at its end.
#[test]
fn end_loaded_cantilevers_are_those_of_sze() {
    for (share, u, w) in [(0.25, 0.563, 3.015), (0.5, 1.604, 4.933), (1.0, 3.286, 6.698)] {
        let force = share * 4.0 * RIGIDITY * WIDTH / (LENGTH * LENGTH);
        let [x, y] = tip_at_rest(Vec3::new(0.0, -force, 0.0), 0.0, 2.0);
        let name = format!("cantilever, P/Pmax {share}");
        let along = error(&format!("{name}, u/L"), 1.0 - x / LENGTH, u / 10.0);
        let across = error(&format!("{name}, w/L"), -y / LENGTH, w / 10.0);
        assert!(along.abs() < 0.01 && across.abs() < 0.005);
    }
}

/// Complete elliptic integrals of the first and second kind of the modulus `k`.
fn elliptic(k: f64) -> [f64; 2] {
    let (mut a, mut b, mut c, mut sum, mut power) = (1.0, (1.0 - k * k).sqrt(), k, 0.0, 0.5);
    for _ in 0..8 {
        sum += power * c * c;
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        power *= 2.0;
    }
    let first = PI / (2.0 * a);
    [first, first * (1.0 - sum)]
}

/// A clamped and free column under more than `Pcr = pi^2 EI / (4 L^2)` is an elastica with
/// `K(k) = pi/2 sqrt(P/Pcr)`, where k is the sine of half the turn of its tip. The tip is at
/// `x/L = 2 E/K - 1`, `y/L = 2 k/K`.
#[test]
fn euler_columns_bend_as_elasticas() {
    for ratio in [1.1, 1.5] {
        let k = bisect(0.01, 0.99, |k| FRAC_PI_2 * f64::sqrt(ratio) - elliptic(k)[0]);
        let [first, second] = elliptic(k);
        let critical = PI * PI * RIGIDITY * WIDTH / (4.0 * LENGTH * LENGTH);
        let force = Vec3::new(-ratio * critical, 0.0, 0.0);
        let [x, y] = tip_at_rest(force, 2.0 * k.asin(), 0.9);
        let name = format!("column, P/Pcr {ratio}");
        let along = error(&format!("{name}, x/L"), x / LENGTH, 2.0 * second / first - 1.0);
        let across = error(&format!("{name}, y/L"), y / LENGTH, 2.0 * k / first);
        assert!(along.abs() < 0.01 && across.abs() < 0.01);
    }
    let critical = PI * PI * RIGIDITY * WIDTH / (4.0 * LENGTH * LENGTH);
    let [x, y] = tip_at_rest(Vec3::new(-0.95 * critical, 0.0, 0.0), 0.3, 0.9);
    println!("column, P/Pcr 0.95: straightens to y/L {:.1e}", y / LENGTH);
    assert!(y.abs() < 2e-3 * LENGTH && (x / LENGTH - 1.0).abs() < 1e-3);
}

/// A scene of one cloth with these `fields` of the cloth and `more` of the scene.
fn parsed(fields: &str, more: &str) -> (Scene, ClothSetup) {
    let text = format!(
        "(solver: (relative_residual: 1e-12), cloths: [(
        shape: Sheet(width_m: 0.12, length_m: 0.12, columns: 12, rows: 12),
        material: Isotropic(density_kg_per_m2: {DENSITY}, modulus_n_per_m: 500, poisson_ratio: 0.3,
        rigidity_n_m: 1e-5), {fields})], {more})"
    );
    let parsed = scene::parse(&text, "loads.ron").expect("a scene");
    let scene = scene::complete(parsed, Path::new("loads.ron")).expect("a sound scene");
    let cloth = scene::build(&scene, Path::new(".")).expect("sound bodies").cloths.remove(0);
    (scene, cloth)
}

/// `v = v_t tanh(g t / v_t)`, `v_t = sqrt(2 s g / (rho C))`, across and along the flow.
#[test]
fn falling_sheets_reach_their_terminal_speed() {
    for (name, turn, coefficient) in [
        ("across", 0, "normal_drag_coefficient: 1.3"),
        ("along", 90, "tangential_drag_coefficient: 1.3"),
    ] {
        for steps in [40, 4] {
            let (scene, cloth) = parsed(
                &format!("transform: (axis: (1, 0, 0), angle_deg: {turn})"),
                &format!("steps_per_frame: {steps}, air: ({coefficient})"),
            );
            let terminal = (2.0 * DENSITY * G / (1.2 * 1.3)).sqrt();
            let [early, late] = simulate(&scene, alone(cloth), |simulation| {
                let mut speeds = Vec::new();
                for time_s in [0.1, 3.0] {
                    while simulation.time_s() < time_s - 1e-9 {
                        simulation.step()?;
                    }
                    speeds.push(-mean(&Vec::from_iter(0..169), |v| simulation.velocities()[v].y));
                }
                Ok([speeds[0], speeds[1]])
            });
            let name = format!("{name} the flow, {steps} steps a frame");
            let exact = terminal * (G * 0.1 / terminal).tanh();
            let early = error(&format!("{name}, speed after 0.1 s"), early, exact);
            let late = error(&format!("{name}, terminal speed"), late, terminal);
            assert!(early.abs() < 0.02 && late.abs() < 1e-6);
        }
    }
}

/// Wind never pushes cloth beyond its own speed: free of all else, `u = u0 / (1 + h k u0 / m)`.
#[test]
fn a_gust_of_any_strength_does_not_overshoot() {
    for speed in [1.0, 30.0, 1000.0] {
        let (scene, cloth) = parsed(
            "",
            &format!(
                "gravity_m_per_s2: (0, 0, 0), steps_per_frame: 4, \
                 air: (normal_drag_coefficient: 2, wind: [(velocity_m_per_s: (0, {speed}, 0))])"
            ),
        );
        let found = simulate(&scene, alone(cloth), |simulation| {
            simulation.run(10, |_, _| Ok(()))?;
            Ok(mean(&Vec::from_iter(0..169), |v| simulation.velocities()[v].y))
        });
        let exact = speed - speed / (1.0 + 0.1 * 1.2 * speed / DENSITY);
        assert!(error(&format!("cloth in wind of {speed} m/s"), found, exact).abs() < 1e-5);
    }
}

/// The lowest angular frequency (1/s) of a string of `length` (m) and mass per length `mu` (kg/m)
/// with a mass `tip` (kg) at its end, and the mode at `steps` + 1 places, from the tip:
/// `(g (M + mu s) w')' = -mu w0^2 w`, `g w'(0) = -w0^2 w(0)`, `w(L) = 0`.
fn string_mode(length: f64, mu: f64, tip: f64, steps: usize) -> (f64, Vec<f64>) {
    let shape = |frequency: f64| {
        let (ds, square) = (length / steps as f64, frequency * frequency);
        let (mut w, mut q, mut all) = (1.0, -tip * square, vec![1.0]);
        let slope = |s: f64, w: f64, q: f64| [q / (G * (tip + mu * s)), -mu * square * w];
        for i in 0..steps {
            let s = i as f64 * ds;
            let a = slope(s, w, q);
            let b = slope(s + 0.5 * ds, w + 0.5 * ds * a[0], q + 0.5 * ds * a[1]);
            let c = slope(s + 0.5 * ds, w + 0.5 * ds * b[0], q + 0.5 * ds * b[1]);
            let d = slope(s + ds, w + ds * c[0], q + ds * c[1]);
            w += ds / 6.0 * (a[0] + 2.0 * b[0] + 2.0 * c[0] + d[0]);
            q += ds / 6.0 * (a[1] + 2.0 * b[1] + 2.0 * c[1] + d[1]);
            all.push(w);
        }
        all
    };
    let unit = (G / length).sqrt();
    let frequency = bisect(0.9 * unit, 1.3 * unit, |it| shape(it)[steps]);
    (frequency, shape(frequency))
}

#[test]
fn a_strip_with_a_mass_at_its_tip_swings_at_the_frequency_of_a_string() {
    let (length, along, h, tip) = (0.5, 50, 2e-3, 4e-3);
    let cell = length / f64::from(along);
    let (exact, mode) = string_mode(length, DENSITY * 2.0 * cell, tip, along as usize);
    let material = Material::isotropic(DENSITY, 1e4, 0.0, 1e-9);
    let mut cloth = cloth(strip(along, 2, cell, Cut::Rising), material);
    hold(&mut cloth, |p| p.x < 1e-9);
    let vertices = vertices_where(&cloth.rest, |p| p.x > length - 1e-9);
    cloth.loads.masses.push(ExtraMass { vertices, mass_kg: tip });
    let shape = Vec::from_iter(
        cloth.rest.iter().map(|p| mode[along as usize - (p.x / cell).round() as usize]),
    );
    let place = |(p, s): (&Vec3, &f64)| Vec3::new(2e-3 * s, -p.x, p.z);
    cloth.positions = cloth.rest.iter().zip(&shape).map(place).collect();
    let found = simulate(&scene(h), alone(cloth), |simulation| {
        let masses: f64 = simulation.model().cloth.masses.iter().sum();
        assert!((masses - tip - DENSITY * length * 2.0 * cell).abs() < 1e-15);
        let part = |s: &Simulation| -> f64 {
            let terms = s.positions().iter().zip(&s.model().cloth.masses).zip(&shape);
            terms.map(|((x, mass), shape)| x.x * mass * shape).sum()
        };
        let (mut zeros, mut before) = (Vec::new(), part(simulation));
        while zeros.len() < 2 {
            simulation.step()?;
            let now = part(simulation);
            if before * now <= 0.0 {
                zeros.push(simulation.time_s() - h * now / (now - before));
            }
            before = now;
        }
        Ok(PI / (zeros[1] - zeros[0]))
    });
    let unit = (G / length).sqrt();
    println!("tip mass: exact {:.4} sqrt(g/L)", exact / unit);
    assert!(error("strip with a tip mass, 1/s", found, exact).abs() < 0.003);
}

/// An open tube of `around` x 8 cells about the z axis, fronts outwards.
fn tube(radius: f64, around: u32) -> Mesh {
    let cell = 2.0 * PI * radius / f64::from(around);
    let at = |ring: u32, place: u32| {
        let angle = 2.0 * PI * f64::from(place) / f64::from(around);
        Vec3::new(radius * angle.cos(), radius * angle.sin(), f64::from(ring) * cell)
    };
    let vertex = |ring: u32, place: u32| ring * around + place % around;
    let cells = (0..8).flat_map(|ring| (0..around).map(move |place| (ring, place)));
    let faces = cells.flat_map(|(ring, place)| {
        let [a, b] = [vertex(ring, place), vertex(ring, place + 1)];
        let [c, d] = [vertex(ring + 1, place + 1), vertex(ring + 1, place)];
        [[a, b, c], [a, c, d]]
    });
    let rings = (0..9).flat_map(|ring| (0..around).map(move |place| (ring, place)));
    let positions = rings.map(|(ring, place)| at(ring, place)).collect();
    Mesh { positions, faces: faces.collect() }
}

/// `T = p r` with `r = R / (1 - p R / (E t))`, nu = 0: the tube widens under its own pressure. A
/// facetted tube has `T = p a`, with its apothem `a`.
#[test]
fn a_pressurised_cylinder_has_its_hoop_tension() {
    let (radius, modulus, pressure) = (0.1, 2000.0, 500.0);
    let of = |around: u32| {
        let material = Material {
            mass_damping_per_s: 20.0,
            ..Material::isotropic(DENSITY, modulus, 0.0, 1e-6)
        };
        let mut cloth = cloth(tube(radius, around), material);
        let faces = (0..cloth.faces.len() as u32).collect();
        let amplitude = Vec::new();
        cloth.loads.pressures.push(Pressure { faces, pressure_pa: pressure, amplitude });
        let middle = 4 * around as usize;
        simulate(&weightless(statics(0.005)), alone(cloth), |simulation| {
            settle(simulation, 1e-6, 20.0)?;
            let (x, rest) = (simulation.positions(), &simulation.model().rest);
            let length = |x: &[Vec3]| (x[middle + 1] - x[middle]).norm();
            Ok(modulus * (length(x) / length(rest) - 1.0))
        })
    };
    let exact = |apothem: f64| pressure * apothem / (1.0 - pressure * apothem / modulus);
    let errors = [24, 48].map(|around| {
        let found = of(around);
        let name = format!("hoop tension of {around} facets, N/m");
        let apothem = radius * (PI / f64::from(around)).cos();
        assert!((found / exact(apothem) - 1.0).abs() < 1e-4, "{}", exact(apothem));
        error(&name, found, exact(radius))
    });
    assert!(errors[1].abs() < 0.003 && errors[1].abs() < 0.3 * errors[0].abs());
}

/// Frame 0 has the velocities `v + w x (x - c)`; a sheet that spins in its plane keeps its angular
/// momentum, and its centre of mass moves evenly. Its corner has a mass of its own.
#[test]
fn cloth_that_starts_with_a_spin_keeps_it() {
    let (scene, cloth) = parsed(
        "velocity_m_per_s: (0.3, -0.2, 0.1), angular_velocity_rad_per_s: (0, 4, 0), \
         imperfection_m: 0, masses: [(select: Nearest((-0.06, 0, -0.06)), mass_kg: 0.001)]",
        "gravity_m_per_s2: (0, 0, 0)",
    );
    let (velocity, spin) = (Vec3::new(0.3, -0.2, 0.1), Vec3::new(0.0, 4.0, 0.0));
    simulate(&scene, alone(cloth), |simulation| {
        let (masses, x0) =
            (simulation.model().cloth.masses.clone(), simulation.positions().to_vec());
        let total: f64 = masses.iter().sum();
        let center =
            |x: &[Vec3]| -> Vec3 { x.iter().zip(&masses).map(|(x, m)| x * (m / total)).sum() };
        let angular = |s: &Simulation| -> Vec3 {
            let c = center(s.positions());
            let each = s.positions().iter().zip(s.velocities()).zip(&masses);
            each.map(|((x, v), m)| (x - c).cross(v) * *m).sum()
        };
        let start = center(&x0);
        assert!((start - Vec3::new(-0.06, 0.0, -0.06) * (0.001 / total)).norm() < 1e-12);
        for (x, v) in x0.iter().zip(simulation.velocities()) {
            assert!((velocity + spin.cross(&(x - start)) - v).norm() < 1e-14);
        }
        let before = angular(simulation);
        while simulation.time_s() < 0.5 - 1e-9 {
            simulation.step()?;
        }
        let lost = (angular(simulation) - before).norm() / before.norm();
        let off = (center(simulation.positions()) - start - velocity * 0.5).norm();
        println!("spin: angular momentum changes by {lost:.1e}, path off by {off:.1e} m");
        assert!(lost < 1e-9 && off < 1e-10);
        Ok(())
    });
}

/// A pinned vertex does not take part in the velocity at the start.
#[test]
fn pinned_vertices_start_at_rest() {
    let (scene, cloth) = parsed("velocity_m_per_s: (1, 0, 0), pins: [(select: Vertices([0]))]", "");
    simulate(&scene, alone(cloth), |simulation| {
        let velocities = simulation.velocities();
        assert_eq!((velocities[0], velocities[1]), (Vec3::zeros(), Vec3::x()));
        Ok(())
    });
}

/// Gravity that goes from 9.81 m/s^2 down to nothing in one second and then to 2 m/s^2 sideways in
/// another: after n steps the path is `h^2 sum_k (n + 1 - k) g(k h)`, and the speed `h sum g(k h)`.
#[test]
fn free_fall_follows_gravity_over_time() {
    let (mut scene, cloth) = parsed("", "steps_per_frame: 20");
    let key = |time_s, g| GravityKey { time_s, gravity_m_per_s2: g };
    scene.gravity_keyframes =
        vec![key(0.0, [0.0, -G, 0.0]), key(1.0, [0.0; 3]), key(2.0, [2.0, 0.0, 0.0])];
    let (steps, h) = (1000, 0.002);
    let gravity = |time_s: f64| match time_s {
        ..1.0 => Vec3::new(0.0, -G * (1.0 - time_s), 0.0),
        _ => Vec3::new(2.0 * (time_s - 1.0), 0.0, 0.0),
    };
    let start = cloth.positions.clone();
    simulate(&scene, alone(cloth), |simulation| {
        simulation.run(steps, |_, _| Ok(()))?;
        let (mut v, mut path) = (Vec3::zeros(), Vec3::zeros());
        for k in 1..=steps {
            v += gravity(k as f64 * h) * h;
            path += v * h;
        }
        let off = start.iter().zip(simulation.positions()).map(|(a, b)| (b - a - path).norm());
        let off = off.fold(0.0, f64::max);
        // In continuous time: g/2 down after one second and 1 m/s along x after two.
        println!("gravity over time: off by {off:.1e} m; speed {v:?}");
        assert!(off < 1e-10 && (v - Vec3::new(1.0, -0.5 * G, 0.0)).norm() < 0.02);
        Ok(())
    });
}
