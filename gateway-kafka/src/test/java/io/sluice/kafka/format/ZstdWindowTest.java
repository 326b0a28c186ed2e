package io.sluice.kafka.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A frame that holds its content in one segment asks for a window of that size. */
class ZstdWindowTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 255, 256, 65_000, 70_000, 1 << 20})
    void ofOneSegmentIsTheContent(int bytes) {
        byte[] frame = Zstd.compress(new byte[bytes]);
        assertThat(ZstdWindow.of(ByteBuffer.wrap(frame))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5})
    void ofACutHeaderIsNotKnown(int bytes) {
        byte[] frame = Arrays.copyOf(Zstd.compress(new byte[1 << 20]), bytes);
        assertThat(ZstdWindow.of(ByteBuffer.wrap(frame))).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void ofOtherBytesIsNotKnown(int first) {
        byte[] frame = Zstd.compress(new byte[100]);
        frame[first == 4 ? 3 : first] ^= 1;
        assertThat(ZstdWindow.of(ByteBuffer.wrap(frame))).isZero();
    }
}
