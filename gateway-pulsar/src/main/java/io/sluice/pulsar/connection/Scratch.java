package io.sluice.pulsar.connection;

import io.netty.util.concurrent.FastThreadLocal;
import io.sluice.pulsar.format.Publish;
import org.apache.pulsar.common.api.proto.BaseCommand;

/** Parsers of one event loop; nothing in them outlives a frame. */
final class Scratch {
    private static final FastThreadLocal<Scratch> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected Scratch initialValue() {
            return new Scratch();
        }
    };

    final BaseCommand command = new BaseCommand();
    final Publish publish = new Publish();

    private Scratch() {}

    static Scratch get() {
        return OF_LOOP.get();
    }
}
