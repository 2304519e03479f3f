//! Synchronisation on a simulated network. Each rank has its own pace, so that some ranks are
//! several communications ahead. In each step, bodies change their velocities and so their travel,
//! and some bodies are deleted.

use std::collections::VecDeque;

use super::*;
use cloth_core::ranks::simulated::{EventQueue, Random};

const SCHEDULES: u64 = 1500;
const STEPS: usize = 12;
/// Number of synchronisations until all copies exist.
const SETTLING: usize = 6;

enum NetworkEvent {
    /// A rank may continue.
    Turn,
    Arrival {
        from: usize,
        bytes: Vec<u8>,
    },
}

struct Node {
    peer: Peer,
    all: Vec<Body>,
    /// The messages that have arrived from each rank, oldest first.
    inbox: Vec<VecDeque<Vec<u8>>>,
    step: usize,
    stage: usize,
    /// The longest time between two turns.
    pace: u64,
}

struct Network {
    random: Random,
    nodes: Vec<Node>,
    queue: EventQueue<NetworkEvent>,
    longest_delay: u64,
    /// The largest number of steps that a rank was ahead of another.
    ahead: usize,
}

fn random_setup(random: &mut Random) -> (Setup, u32) {
    loop {
        let (setup, ranks) = any_setup(random);
        if setup.limits.reach(setup.method, &setup.subdomains).is_ok() {
            return (setup, ranks);
        }
    }
}

/// A random setting. Its subdomains may be too small for its bodies.
fn any_setup(random: &mut Random) -> (Setup, u32) {
    let edge = 3.0 + random.below(2) as f64;
    let periodic = [0; 3].map(|_| random.below(2) == 0);
    let domain = Domain::new(Vec3::zeros(), Vec3::repeat(edge), periodic).unwrap();
    let method = match random.below(3) {
        0 => Synchronisation::NextNeighbour,
        _ => Synchronisation::ShadowOwner,
    };
    let ranks = 2 + random.below(8) as u32;
    let mut setup = match random.below(3) {
        0 if method == Synchronisation::ShadowOwner => {
            Setup::new(power_cells(domain, 4 + random.below(8)), ranks, method)
        }
        _ => {
            let counts = [0; 3].map(|_| 1 + random.below(3) as u32);
            Setup::grid(domain, counts, ranks, method)
        }
    };
    let count = setup.subdomains.count();
    if random.below(2) == 0 {
        setup.rank_of =
            Arc::new((0..count).map(|_| random.below(u64::from(ranks)) as u32).collect());
    }
    if method == Synchronisation::ShadowOwner {
        setup.limits.largest_radius = 1.0;
    }
    setup.limits.horizon.step_s = 2.0;
    setup.limits.horizon.most_m = 0.3;
    if method == Synchronisation::ShadowOwner && random.below(3) == 0 {
        // Bodies move by nearly a whole subdomain.
        (setup.limits.motion, setup.limits.horizon.most_m) = (0.9, 0.9);
    }
    setup.limits.travel = setup.limits.horizon.most_travel();
    setup.limits.growth = if random.below(3) == 0 { 0.0 } else { f64::INFINITY };
    (setup, ranks)
}

/// The displacement or the velocity of a body in a step: zero, nearly the largest, or random.
fn random_way(id: BodyId, k: u64, limits: &Limits) -> Vec3 {
    let k = mix(1000 * id + k);
    let direction = (random_vector(k >> 20) - Vec3::repeat(0.5)).normalize();
    direction * (0.99 * limits.motion * [0.0, 1.0, random(k >> 18)][(k % 3) as usize])
}

fn is_deleted(id: BodyId, step: u64) -> bool {
    mix(77 * id + step).is_multiple_of(40)
}

impl Network {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let (setup, ranks) = random_setup(&mut random);
        let bodies = gas(setup.subdomains.domain(), 1 + random.below(20), &setup.limits);
        let nodes = (0..ranks as usize).map(|rank| Node {
            peer: setup.peer(rank, &bodies).unwrap(),
            all: bodies.clone(),
            inbox: vec![VecDeque::new(); ranks as usize],
            step: 0,
            stage: 0,
            pace: 1 + [3, 30, 300][random.below(3) as usize],
        });
        Self {
            nodes: nodes.collect(),
            queue: EventQueue::new(ranks as usize),
            longest_delay: 1 + [2, 30, 300][random.below(3) as usize],
            random,
            ahead: 0,
        }
    }

    /// Plays all steps.
    fn play(&mut self) {
        for rank in 0..self.nodes.len() {
            self.begin_stage(rank);
            self.queue.at(0, rank, NetworkEvent::Turn);
        }
        while let Some((rank, event)) = self.queue.take() {
            match event {
                NetworkEvent::Turn => self.turn(rank),
                NetworkEvent::Arrival { from, bytes } => {
                    self.nodes[rank].inbox[from].push_back(bytes);
                }
            }
            assert!(self.queue.planned() < 1_000_000, "it does not end");
        }
        assert!(self.nodes.iter().all(|node| node.step == SETTLING + STEPS));
        assert!(self.nodes.iter().all(|node| node.inbox.iter().all(VecDeque::is_empty)));
    }

    fn begin_stage(&mut self, rank: usize) {
        let node = &mut self.nodes[rank];
        let Peer { synchroniser, population } = &mut node.peer;
        if node.stage == 0 && node.step >= SETTLING {
            let (step, limits) = (node.step as u64, *synchroniser.limits());
            let fly = |state: &mut BodyState, id: BodyId| {
                state.position += random_way(id, step, &limits);
                state.twist.linear = random_way(id, step + 500, &limits);
            };
            let ids: Vec<_> = population.own().iter().map(|body| body.id).collect();
            for (state, &id) in population.own_states_mut().iter_mut().zip(&ids) {
                fly(state, id);
            }
            for &id in ids.iter().filter(|&&id| is_deleted(id, step)) {
                assert!(population.delete(id));
            }
            let domain = *synchroniser.region().subdomains().domain();
            for body in &mut node.all {
                fly(&mut body.state, body.id);
                (body.state.position, _) = domain.wrap(&body.state.position);
            }
            let stays = |body: &Body| domain.contains(&body.state.position);
            node.all.retain(|body| stays(body) && !is_deleted(body.id, step));
        }
        synchroniser.pack(node.stage, population).unwrap();
        for (to, bytes) in synchroniser.mail.take_outgoing(&mut synchroniser.traffic) {
            let delay = self.random.below(self.longest_delay);
            let event = NetworkEvent::Arrival { from: rank, bytes };
            self.queue.send(rank, to as usize, delay, event);
        }
    }

    /// Finishes a stage if all its messages have arrived, and begins the next one.
    fn turn(&mut self, rank: usize) {
        let node = &mut self.nodes[rank];
        let sources = node.peer.synchroniser.mail.sources().to_vec();
        if sources.iter().all(|&from| !node.inbox[from as usize].is_empty()) {
            // Messages are delivered by falling sender, because the order must not matter.
            for &from in sources.iter().rev() {
                let bytes = node.inbox[from as usize].pop_front().unwrap();
                node.peer.synchroniser.mail.deliver(from, bytes);
            }
            node.peer.synchroniser.unpack(&mut node.peer.population).unwrap();
            node.stage += 1;
            if node.stage == node.peer.synchroniser.stages() {
                (node.step, node.stage) = (node.step + 1, 0);
                if node.step >= SETTLING {
                    node.peer.compare(&node.all);
                }
                let slowest = self.nodes.iter().map(|node| node.step).min().unwrap();
                self.ahead = self.ahead.max(self.nodes[rank].step - slowest);
            }
            if self.nodes[rank].step == SETTLING + STEPS {
                return;
            }
            self.begin_stage(rank);
        }
        let time = self.queue.now + 1 + self.random.below(self.nodes[rank].pace);
        self.queue.at(time, rank, NetworkEvent::Turn);
    }
}

#[test]
fn all_schedules_end_with_each_body_where_it_belongs() {
    let mut ahead = 0;
    for seed in 0..SCHEDULES {
        let mut network = Network::new(mix(seed));
        network.play();
        ahead = ahead.max(network.ahead);
    }
    assert!(ahead > 1, "no rank was ever ahead");
}
