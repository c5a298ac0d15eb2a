//! Directions as parts of a full turn, which is all a ring needs.
//!
//! The general functions of angles bring tables for angles of any size; a drawing has none beyond one turn.

use std::f64::consts::TAU;

/// The direction at a part of a full turn, from the top, clockwise: (1/4, for instance, points right, to (1, 0)).
/// Right to a billionth.
#[must_use]
pub fn direction(part: f64) -> (f64, f64) {
    let part = part - part.floor();
    // Within an eighth of a turn of the nearest quarter, where the series is short.
    let quarter = (part * 4.0).round();
    let angle = (part - quarter / 4.0) * TAU;
    let square = angle * angle;
    let sine = angle * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))));
    let cosine = 1.0
        - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0 * (1.0 - square / 90.0))));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 4")]
    match quarter as u8 {
        1 => (cosine, sine),
        2 => (-sine, cosine),
        3 => (-cosine, -sine),
        _ => (sine, -cosine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_right_all_the_way_round() {
        for step in -1_000..=2_000 {
            let part = f64::from(step) / 1_000.0;
            let angle = (part - 0.25) * TAU;
            let (x, y) = direction(part);
            assert!((x - angle.cos()).abs() < 1e-8 && (y - angle.sin()).abs() < 1e-8, "{part}: {x} {y}");
        }
    }
}
