package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.Spread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    0        | 0
                    0.012345 | 0.0123
                    0.9999   | 1.00
                    2.5      | 2.50
                    12.34    | 12.3
                    346.4    | 346
                    1234     | 1,230
                    12345    | 12.3 k
                    999999   | 1.00 M
                    1170000  | 1.17 M
                    3e9      | 3.00 G
                    NaN      | —
                    Infinity | —
                    """)
    void haveThreeDigits(double value, String text) {
        assertThat(Numbers.of(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    2.514  | 2.51
                    0.4    | 0.40
                    0.02   | 1/50
                    0.0001 | 1/10,000
                    NaN    | —
                    """)
    void ratiosFarBelowOneAreFractions(double value, String text) {
        assertThat(Numbers.ratio(value)).isEqualTo(text);
    }

    @Test
    void aSingleRoundHasNoRange() {
        assertThat(Numbers.range(new Spread(2, 2, 2, 1), Numbers::of)).isEmpty();
        assertThat(Numbers.range(new Spread(2, 1, 3, 2), Numbers::of)).isEqualTo("1.00–3.00");
    }
}
