package io.sluice.perf.report;

import io.sluice.perf.result.Spread;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** Figures as people read them: three significant digits, and a dash for what was not measured. */
final class Numbers {
    static final String MISSING = "—";
    private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_UP);

    private Numbers() {}

    /** 0.0123, 1.23, 12.3, 123, 1,230, 12.3 k, 1.23 M, 1.23 G. */
    static String of(double value) {
        if (!Double.isFinite(value)) {
            return MISSING;
        }
        BigDecimal rounded = new BigDecimal(value).round(THREE_DIGITS);
        double size = Math.abs(rounded.doubleValue());
        if (size >= 1e9) {
            return digits(rounded.movePointLeft(9)) + " G";
        }
        if (size >= 1e6) {
            return digits(rounded.movePointLeft(6)) + " M";
        }
        return size >= 1e4 ? digits(rounded.movePointLeft(3)) + " k" : digits(rounded);
    }

    /** Text of a count or a size that is -1 where unknown. */
    static String ofKnown(double value, double unit) {
        return value < 0 ? MISSING : of(value / unit);
    }

    /** Without the zeros that {@link #of} keeps so that figures line up: 20 k, 0.5, 3. */
    static String plain(double value) {
        String text = of(value);
        return text.contains(".") ? text.replaceAll("\\.?0+(?=$| )", "") : text;
    }

    /** {@link #ratio} and ×. */
    static String times(double value) {
        String text = ratio(value);
        return Spread.isOfFailed(value) ? text : text + "×";
    }

    /** "failed" where a side did, 0.12, 1.23, 12.3, 123, and 1/12 below a tenth: how many times less is what one wants to know there. */
    static String ratio(double value) {
        if (Spread.isOfFailed(value)) {
            return "failed";
        }
        if (!(value > 0) || !Double.isFinite(value)) {
            return MISSING;
        }
        if (value < 0.0995) {
            return "1/" + exact(Math.round(1 / value));
        }
        return value < 1 ? String.format(Locale.ROOT, "%.2f", value) : of(value);
    }

    /** The lowest and highest round; empty for a single round. */
    static String range(Spread spread, DoubleFunction<String> format) {
        if (spread.rounds() < 2) {
            return "";
        }
        String low = format.apply(spread.low());
        String high = format.apply(spread.high());
        return low.equals(high) ? low : low + "–" + high;
    }

    /** Every digit, in groups. */
    static String exact(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String digits(BigDecimal rounded) {
        if (rounded.signum() == 0) {
            return "0";
        }
        int integerDigits = rounded.precision() - rounded.scale();
        return String.format(Locale.ROOT, "%,." + Math.max(0, 3 - Math.max(integerDigits, -3)) + "f", rounded);
    }
}
