//! Mutable data that a loop over patches cuts into pieces.

/// Mutable data in the order of the patches, which can be cut between two of them.
pub trait PatchSlices: Send + Sized {
    /// Number of patches in this piece.
    fn patches(&self) -> usize;
    /// Cuts after the first `patches` patches.
    fn split(self, patches: usize) -> (Self, Self);
}

/// One array cut at `offsets`: patch `p` has `offsets[p]..offsets[p + 1]`, counted
/// from `offsets[0]`.
pub struct ByPatch<'a, T> {
    /// The values of this piece, patch after patch.
    pub data: &'a mut [T],
    offsets: &'a [u32],
}

impl<'a, T> ByPatch<'a, T> {
    /// `data` with the patch boundaries `offsets` (one more than patches).
    pub fn new(data: &'a mut [T], offsets: &'a [u32]) -> Self {
        debug_assert!(!offsets.is_empty());
        debug_assert_eq!((offsets[offsets.len() - 1] - offsets[0]) as usize, data.len());
        Self { data, offsets }
    }
}

impl<T: Send> PatchSlices for ByPatch<'_, T> {
    fn patches(&self) -> usize {
        self.offsets.len() - 1
    }

    fn split(self, patches: usize) -> (Self, Self) {
        let at = (self.offsets[patches] - self.offsets[0]) as usize;
        let (low, high) = self.data.split_at_mut(at);
        (
            Self { data: low, offsets: &self.offsets[..=patches] },
            Self { data: high, offsets: &self.offsets[patches..] },
        )
    }
}

/// One item per patch.
pub struct EachPatch<'a, T>(pub &'a mut [T]);

impl<T: Send> PatchSlices for EachPatch<'_, T> {
    fn patches(&self) -> usize {
        self.0.len()
    }

    fn split(self, patches: usize) -> (Self, Self) {
        let (low, high) = self.0.split_at_mut(patches);
        (Self(low), Self(high))
    }
}

/// Adjacent items, many to a patch.
pub struct Blocks<'a, T> {
    /// The items.
    pub items: &'a mut [T],
    /// Items of a patch; the last one may have fewer.
    pub size: usize,
}

impl<'a, T> Blocks<'a, T> {
    /// Items of vertices, so many to a block that it takes about 10 us.
    pub fn of_vertices(items: &'a mut [T]) -> Self {
        Self { items, size: 2048 }
    }
}

impl<T: Send> PatchSlices for Blocks<'_, T> {
    fn patches(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }

    fn split(self, patches: usize) -> (Self, Self) {
        let (size, at) = (self.size, (patches * self.size).min(self.items.len()));
        let (low, high) = self.items.split_at_mut(at);
        (Self { items: low, size }, Self { items: high, size })
    }
}

macro_rules! tuple_slices {
    ($($name:ident),+) => {
        impl<Head: PatchSlices, $($name: PatchSlices),+> PatchSlices for (Head, $($name),+) {
            fn patches(&self) -> usize {
                self.0.patches()
            }

            #[allow(non_snake_case)] // bindings have the names of the types
            fn split(self, patches: usize) -> (Self, Self) {
                let (head, $($name),+) = self;
                let head = head.split(patches);
                $(let $name = $name.split(patches);)+
                ((head.0, $($name.0),+), (head.1, $($name.1),+))
            }
        }
    };
}
tuple_slices!(B);
tuple_slices!(B, C);
tuple_slices!(B, C, D);
tuple_slices!(B, C, D, E);
tuple_slices!(B, C, D, E, F);
