package io.sluice.pulsar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChecksumTest {
    private final Checksum checksum = new Checksum();

    @Test
    void combinesToTheChecksumOfBoth() {
        Random random = new Random(3);
        for (int length : new int[] {0, 1, 7, 64, 1000, 8192, 100_000, 5_000_000}) {
            byte[] a = new byte[54];
            byte[] b = new byte[length];
            random.nextBytes(a);
            random.nextBytes(b);
            ByteBuf both = Unpooled.wrappedBuffer(a, b);
            int first = checksum.of(Unpooled.wrappedBuffer(a), 0, a.length);
            int second = checksum.of(Unpooled.wrappedBuffer(b), 0, b.length);
            assertThat(Checksum.combine(first, second, length)).isEqualTo(checksum.of(both, 0, both.readableBytes()));
        }
    }
}
