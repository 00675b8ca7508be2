//! Features of the concepts around a pair, by the probabilities of all pairs.
//!
//! Each concept has at most one image on the other side: the concept of its likeliest pair. Concepts around a pair agree if the images of
//! the ancestors of one are ancestors of the other, those of its children descendants, and those of its siblings below a common parent.

use rayon::prelude::*;
use truename_text::KeyMatch;

use crate::compared::Compared;
use crate::comparer::Rivals;
use crate::feature::Feature;
use crate::hierarchy::Hierarchy;

/// Lowest probability of an image.
const MIN_IMAGE: f32 = 0.2;
/// Children and siblings that are looked at, the first ones.
const MOST_AROUND: usize = 32;
/// Weight of "nothing is known" beside that of the images, for ancestors, children and siblings.
const SHRINKAGE: [f32; 3] = [0.25, 0.5, 1.0];

/// The likeliest concept of the other side, with its probability.
#[derive(Clone, Copy, Default)]
struct Image {
    concept: u32,
    probability: f32,
}

/// Weight of the images that agree and that differ.
#[derive(Clone, Copy, Default)]
struct Agreement {
    agree: f32,
    differ: f32,
}

impl Agreement {
    fn count(&mut self, agrees: bool, weight: f32) {
        *(if agrees { &mut self.agree } else { &mut self.differ }) += weight;
    }

    /// Returns the shares of both.
    fn shares(self, shrinkage: f32) -> [f32; 2] {
        let total = self.agree + self.differ + shrinkage;
        [self.agree / total, self.differ / total]
    }
}

/// Writes the features of the concepts around each pair.
pub(crate) fn add_structure(
    compared: &mut [Compared],
    probabilities: &[f32],
    sides: [&Hierarchy; 2],
    sizes: [usize; 2],
) {
    let images = images(compared, probabilities, sizes);
    let mut values = probabilities.iter();
    let rivals = Rivals::new(compared, |_| *values.next().expect("a probability for each pair"));
    compared.par_iter_mut().zip(probabilities).for_each(|(pair, probability)| {
        let forth = View { own: sides[0], other: sides[1], images: &images[0] };
        let back = View { own: sides[1], other: sides[0], images: &images[1] };
        let [one, two] = [forth.around(pair.source, pair.target), back.around(pair.target, pair.source)];
        let mut around = [0.0; 6];
        around.iter_mut().zip(one.iter().zip(&two)).for_each(|(mean, (one, two))| *mean = (one + two) / 2.0);
        let (source, target) = rivals.of(pair, *probability);
        let is_unequal = f32::from(u8::from(pair.best.level < KeyMatch::Variant));
        let unequal = |value: f32| is_unequal * value;
        let [ancestors_agree, ancestors_differ, children_agree, children_differ, siblings_agree, siblings_differ] =
            around;
        pair.features.set([
            (Feature::RivalOfSource, source),
            (Feature::RivalOfTarget, target),
            (Feature::AncestorsAgree, ancestors_agree),
            (Feature::AncestorsDiffer, ancestors_differ),
            (Feature::ChildrenAgree, children_agree),
            (Feature::ChildrenDiffer, children_differ),
            (Feature::SiblingsAgree, siblings_agree),
            (Feature::SiblingsDiffer, siblings_differ),
            (Feature::UnequalAncestorsAgree, unequal(ancestors_agree)),
            (Feature::UnequalAncestorsDiffer, unequal(ancestors_differ)),
            (Feature::UnequalChildrenAgree, unequal(children_agree)),
            (Feature::UnequalSiblingsAgree, unequal(siblings_agree)),
            (Feature::UnequalRivalOfSource, unequal(source)),
            (Feature::UnequalRivalOfTarget, unequal(target)),
        ]);
    });
}

/// Returns the image of each concept of both sides.
fn images(compared: &[Compared], probabilities: &[f32], sizes: [usize; 2]) -> [Vec<Image>; 2] {
    let mut images = sizes.map(|size| vec![Image::default(); size]);
    for (pair, probability) in compared.iter().zip(probabilities) {
        for (side, own, concept) in [(0, pair.source, pair.target), (1, pair.target, pair.source)] {
            let image = &mut images[side][own as usize];
            if *probability > image.probability && *probability >= MIN_IMAGE {
                *image = Image { concept, probability: *probability };
            }
        }
    }
    images
}

/// One side's concepts and the images of them on the other.
struct View<'a> {
    own: &'a Hierarchy,
    other: &'a Hierarchy,
    images: &'a [Image],
}

impl View<'_> {
    /// Returns the shares of ancestors, children and siblings of `concept` that agree and that differ with `image`.
    fn around(&self, concept: u32, image: u32) -> [f32; 6] {
        let mut around = [Agreement::default(); 3];
        for (place, ancestor) in self.own.ancestors(concept).iter().enumerate() {
            self.visit(*ancestor, |above, weight| {
                around[0].count(self.other.is_above(above, image), weight / (1 + place) as f32);
            });
        }
        for child in self.own.children(concept).iter().take(MOST_AROUND) {
            self.visit(*child, |below, weight| around[1].count(self.other.is_above(image, below), weight));
        }
        let parents = self.other.parents(image);
        for sibling in self.own.siblings(concept).take(MOST_AROUND) {
            self.visit(sibling, |beside, weight| {
                let is_below = parents.iter().any(|parent| self.other.is_above(*parent, beside));
                around[2].count(is_below && beside != image, weight);
            });
        }
        let shares = [0, 1, 2].map(|at| around[at].shares(SHRINKAGE[at]));
        [shares[0][0], shares[0][1], shares[1][0], shares[1][1], shares[2][0], shares[2][1]]
    }

    /// Visits the image of a concept, if it has one.
    fn visit(&self, concept: u32, mut visit: impl FnMut(u32, f32)) {
        let image = self.images[concept as usize];
        if image.probability > 0.0 {
            visit(image.concept, image.probability);
        }
    }
}
