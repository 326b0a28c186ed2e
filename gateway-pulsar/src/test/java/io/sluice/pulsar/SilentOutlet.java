package io.sluice.pulsar;

import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerOutlet;
import io.sluice.pulsar.producer.ProducerOutlet;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.wire.OutFrame;

/** A connection that takes everything and says nothing. */
public class SilentOutlet implements ConsumerOutlet, ProducerOutlet {
    @Override
    public boolean ready(Consumer consumer) {
        return true;
    }

    @Override
    public long room() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void send(OutFrame frame) {
        frame.release();
    }

    @Override
    public void closeConsumer(Consumer consumer) {}

    @Override
    public void partitionLeft(Consumer consumer) {}

    @Override
    public void closeProducer(ProducerSession producer) {}

    @Override
    public void partitionLeft(ProducerSession producer) {}

    @Override
    public void topicMigrated(ProducerSession producer) {}

    @Override
    public void topicMigrated(Consumer consumer) {}

    @Override
    public boolean followsMigration() {
        return true;
    }

    @Override
    public void activeChanged(Consumer consumer, boolean active) {}

    @Override
    public void endOfTopic(Consumer consumer) {}

    @Override
    public boolean connected() {
        return true;
    }

    @Override
    public String clientVersion() {
        return "";
    }

    @Override
    public String address() {
        return "test";
    }
}
