package io.sluice.perf.load;

import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Keys and values of one producer; used by one thread. */
final class Payloads {
    private static final int KEYS = 10_000;

    /** Bytes that values are cut out of, so that no two in a batch are alike: a repeated value flatters who compresses. */
    private static final int NOISE_BYTES = 1 << 20;

    private final byte[] noise;
    private final int size;
    private final KeyDistributor distributor;
    private final byte[][] keys = new byte[KEYS][];
    private final Random random;
    private int nextKey;

    Payloads(Workload workload, long seed) {
        this.random = new Random(seed);
        this.size = workload.messageSize();
        this.distributor = workload.keyDistributor();
        this.noise = new byte[NOISE_BYTES + size];
        random.nextBytes(noise);
        for (int key = 0; key < KEYS; key++) {
            keys[key] = Integer.toString(key).getBytes(StandardCharsets.UTF_8);
        }
    }

    byte @Nullable [] nextKey() {
        return switch (distributor) {
            case NO_KEY -> null;
            case KEY_ROUND_ROBIN -> keys[nextKey++ % KEYS];
            case RANDOM_NANO -> keys[random.nextInt(KEYS)];
        };
    }

    /** @param due goes into the first 8 bytes */
    byte[] nextValue(long due) {
        byte[] value = new byte[size];
        System.arraycopy(noise, random.nextInt(NOISE_BYTES), value, 0, size);
        ByteBuffer.wrap(value).putLong(due);
        return value;
    }
}
