//! Kubernetes' `resource.Quantity`.
//!
//! Invariants: a quantity is exact, `digits × 10^scale`. Its text has at most nine digits after the point; more are rounded away from zero,
//! as Kubernetes does. A sum that does not fit is a failure, never a wrong number.

use std::cmp::Ordering;

use super::failure::Failure;

/// Digits that Kubernetes keeps after the point.
const NANO: i32 = -9;
/// The digits of the fast form of Kubernetes.
const FAST_DIGITS: i64 = 18;

#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    digits: i128,
    scale: i32,
    /// Whether Kubernetes keeps it as a decimal number of any size, which is not an integer to `asInteger`.
    is_decimal: bool,
    /// Whether it is the result of `add` or `sub`.
    pub(super) is_computed: bool,
}

impl Quantity {
    pub(super) fn of_integer(number: i64) -> Self {
        Self { digits: i128::from(number), scale: 0, is_decimal: false, is_computed: false }
    }

    fn parse(text: &str) -> Option<Self> {
        let (is_negative, unsigned) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let digits_of = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = &unsigned[..digits_of(unsigned)];
        let rest = &unsigned[whole.len()..];
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(digits_of(rest)),
            None => ("", rest),
        };
        // Without digits it is zero.
        let whole = whole.trim_start_matches('0');
        let (binary, exponent) = exponent(suffix)?;
        let length = i64::try_from(whole.len().max(1) + fraction.len()).ok()?;
        let spare = match binary {
            None => FAST_DIGITS - length,
            Some(bits) if fraction.is_empty() => {
                15 - i64::try_from(whole.len().max(1)).ok()? - i64::from(bits * 3 / 10) - 1
            }
            Some(_) => -1,
        };
        let fraction_length = i32::try_from(fraction.len()).ok()?;
        let is_fast = spare >= 0 && exponent - i64::from(fraction_length) >= i64::from(NANO);
        let sign = if is_negative { -1 } else { 1 };
        // Only quantities with binary suffixes have a largest value.
        let largest = Self { digits: sign * i128::from(i64::MAX), scale: 0, is_decimal: true, is_computed: false };
        if whole.len() > 27 {
            return binary.map(|_| largest);
        }
        let kept = &fraction[..fraction.len().min(27_usize.saturating_sub(whole.len()).max(10))];
        let is_cut = fraction[kept.len()..].bytes().any(|digit| digit != b'0');
        let digits = format!("0{whole}{kept}").parse::<i128>().ok()?;
        let mut scale = exponent - i64::try_from(kept.len()).ok()?;
        let mut digits = match binary {
            Some(bits) => digits.checked_mul(1 << bits)?,
            None => digits,
        };
        let mut rounds_up = is_cut;
        if !is_fast {
            while scale < i64::from(NANO) {
                rounds_up |= digits % 10 != 0;
                digits /= 10;
                scale += 1;
                if digits == 0 {
                    scale = i64::from(NANO);
                }
            }
            digits += i128::from(rounds_up);
        }
        let quantity =
            Self { digits: sign * digits, scale: i32::try_from(scale).ok()?, is_decimal: !is_fast, is_computed: false };
        let is_beyond = quantity.compare(&largest) == if is_negative { Ordering::Less } else { Ordering::Greater };
        Some(if !is_fast && is_beyond && binary.is_some() { largest } else { quantity })
    }

    /// The digits without trailing zeros, and their scale.
    fn reduced(self) -> (i128, i64) {
        let (mut digits, mut scale) = (self.digits, i64::from(self.scale));
        if digits == 0 {
            return (0, 0);
        }
        while digits % 10 == 0 {
            digits /= 10;
            scale += 1;
        }
        (digits, scale)
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let ((one, one_scale), (other, other_scale)) = (self.reduced(), other.reduced());
        if one.signum() != other.signum() || one == 0 {
            return one.signum().cmp(&other.signum());
        }
        let length = |digits: i128| i64::from(digits.unsigned_abs().ilog10());
        let magnitude = (length(one) + one_scale).cmp(&(length(other) + other_scale)).then_with(|| {
            // Both begin at the same power of ten, so the shorter one gets zeros.
            let pad = |digits: i128, by: i64| {
                let zeros = u32::try_from(by.max(0)).unwrap_or(u32::MAX);
                10_u128.checked_pow(zeros).and_then(|power| digits.unsigned_abs().checked_mul(power))
            };
            let shift = one_scale - other_scale;
            pad(one, shift).cmp(&pad(other, -shift))
        });
        if one > 0 { magnitude } else { magnitude.reverse() }
    }

    /// -1, 0 or 1.
    pub(super) fn sign(self) -> i64 {
        if self.digits < 0 { -1 } else { i64::from(self.digits > 0) }
    }

    /// The whole number, as `AsInt64` of Kubernetes returns it.
    pub(super) fn whole(self) -> Option<i64> {
        if self.is_decimal || self.scale < 0 {
            return None;
        }
        let power = 10_i64.checked_pow(u32::try_from(self.scale).ok()?);
        match power {
            Some(power) => i64::try_from(self.digits).ok()?.checked_mul(power),
            None => (self.digits == 0).then_some(0),
        }
    }

    pub(super) fn plus(self, other: Self, sign: i128) -> Result<Self, Failure> {
        if self.digits == 0 {
            return Ok(Self { digits: sign * other.digits, is_computed: true, ..other });
        }
        if other.digits == 0 {
            return Ok(Self { is_computed: true, ..self });
        }
        let scale = self.scale.min(other.scale);
        let aligned = |quantity: Self| {
            let power = 10_i128.checked_pow(u32::try_from(quantity.scale - scale).ok()?)?;
            quantity.digits.checked_mul(power)
        };
        let sum = aligned(self)
            .zip(aligned(other))
            .and_then(|(one, other)| one.checked_add(sign * other))
            .ok_or_else(|| Failure::undecided("the sum of these quantities has more than 38 digits"))?;
        let is_decimal = self.is_decimal || other.is_decimal || i64::try_from(sum).is_err();
        Ok(Self { digits: sum, scale, is_decimal, is_computed: true })
    }

    pub(super) fn approximate(self) -> f64 {
        format!("{}e{}", self.digits, self.scale).parse().unwrap_or(f64::NAN)
    }
}

/// The power of two, if the suffix is binary, and the power of ten; nothing for an unknown suffix.
fn exponent(suffix: &str) -> Option<(Option<u32>, i64)> {
    let binary = match suffix {
        "Ki" => 10,
        "Mi" => 20,
        "Gi" => 30,
        "Ti" => 40,
        "Pi" => 50,
        "Ei" => 60,
        _ => 0,
    };
    if binary > 0 {
        return Some((Some(binary), 0));
    }
    let power = match suffix {
        "n" => -9,
        "u" => -6,
        "m" => -3,
        "" => 0,
        "k" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        "P" => 15,
        "E" => 18,
        suffix => {
            let digits = suffix.strip_prefix(['e', 'E'])?;
            let number = digits.strip_prefix(['-', '+']).unwrap_or(digits);
            if number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            // Larger exponents are legal and useless.
            digits.parse::<i64>().ok().filter(|power| power.abs() <= 1_000_000)?
        }
    };
    Some((None, power))
}

/// The digits of a quantity without trailing zeros, and their power of ten: equal for `1000m` and `1`.
pub fn quantity_digits(text: &str) -> Option<(i128, i64)> {
    Quantity::parse(text).map(Quantity::reduced)
}

/// The quantity that a text is.
pub(super) fn parsed(text: &str) -> Result<Quantity, Failure> {
    Quantity::parse(text).ok_or_else(|| {
        Failure::new("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
    })
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::Quantity;

    #[test]
    fn quantities_are_exact() {
        let equal = [
            ("1Gi", "1073741824"),
            ("1.5Gi", "1610612736"),
            ("1000m", "1"),
            ("1e3", "1k"),
            ("0.1Ki", "102.4"),
            ("1n", "0.000000001"),
            ("0.1n", "1n"),
            ("-0.1n", "-1n"),
            (".5", "500m"),
            ("5.", "5"),
            ("+1E", "1000P"),
            ("1E3", "1000"),
            ("0", "-0"),
            ("0e100", "0"),
            ("+", "0"),
            (".", "0"),
            ("Gi", "0"),
            ("99999999999999999999Ki", "9223372036854775807"),
        ];
        for (one, other) in equal {
            let (one, other) = (Quantity::parse(one).expect(one), Quantity::parse(other).expect(other));
            assert_eq!(one.compare(&other), Ordering::Equal, "{one:?} {other:?}");
        }
        for (less, more) in
            [("1", "1.000000001"), ("-2", "-1"), ("999m", "1"), ("1G", "1Gi"), ("1e99", "1e100"), ("0", "1n")]
        {
            let (less, more) = (Quantity::parse(less).expect(less), Quantity::parse(more).expect(more));
            assert_eq!(less.compare(&more), Ordering::Less, "{less:?} {more:?}");
            assert_eq!(more.compare(&less), Ordering::Greater, "{less:?} {more:?}");
        }
        for bad in ["", "e", "1i", "1KI", "1 Gi", "1e", "1ee1", "1.2.3", "--1", "1e+-1", "é"] {
            assert!(Quantity::parse(bad).is_none(), "{bad}");
        }
    }
}
