package io.sluice.perf.moving;

import io.sluice.perf.driver.Target;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** A producer that places by keys, which are the numbers of what {@link SteadyLoad} takes for partitions. */
final class KeyedWriter implements SteadyLoad.Writer {
    private final Target target;
    private final Target.Sender sender;

    /** Owns the target. */
    KeyedWriter(Target target, String topic) throws Exception {
        this.target = target;
        this.sender = target.producer(topic);
    }

    @Override
    public void send(int key, byte[] value, Runnable acknowledged, Consumer<Throwable> failed) {
        sender.send(Integer.toString(key).getBytes(StandardCharsets.US_ASCII), value, acknowledged, failed);
    }

    @Override
    public void close() throws Exception {
        sender.flush();
        target.close();
    }
}
