package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;

class ProducerTest extends ClientTest {
    private Producer<byte[]> producer(ProducerAccessMode mode) throws PulsarClientException {
        return client.newProducer().topic("t").accessMode(mode).create();
    }

    @Test
    void exclusiveModesKeepOthersOut() throws Exception {
        try (Producer<byte[]> first = producer(ProducerAccessMode.Exclusive)) {
            assertThat(first.isConnected()).isTrue();
            assertThatThrownBy(() -> producer(ProducerAccessMode.Exclusive))
                    .isInstanceOf(PulsarClientException.ProducerFencedException.class);
            assertThatThrownBy(() -> producer(ProducerAccessMode.Shared))
                    .isInstanceOf(PulsarClientException.ProducerBusyException.class);
        }
        try (Producer<byte[]> shared = producer(ProducerAccessMode.Shared)) {
            assertThat(shared.isConnected()).isTrue();
            assertThatThrownBy(() -> producer(ProducerAccessMode.Exclusive))
                    .isInstanceOf(PulsarClientException.ProducerFencedException.class);
        }
    }

    @Test
    void waitsForItsTurn() throws Exception {
        Producer<byte[]> first = producer(ProducerAccessMode.Exclusive);
        CompletableFuture<Producer<byte[]>> second = client.newProducer()
                .topic("t")
                .accessMode(ProducerAccessMode.WaitForExclusive)
                .createAsync();
        assertThatThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
        first.close();
        try (Producer<byte[]> got = second.get(SOON, TimeUnit.SECONDS)) {
            got.send(bytes(1));
        }
    }

    @Test
    void fencesWhoeverWasThere() throws Exception {
        Producer<byte[]> first = producer(ProducerAccessMode.Exclusive);
        first.send(bytes(1));
        try (Producer<byte[]> second = producer(ProducerAccessMode.ExclusiveWithFencing)) {
            second.send(bytes(2));
            assertThatThrownBy(() -> first.send(bytes(3))).isInstanceOf(PulsarClientException.class);
        }
        first.close();
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            expect(consumer, 1, 2);
            expectNothing(consumer);
        }
    }

    @Test
    void dropsWhatANamedProducerSendsTwice() throws Exception {
        for (int round = 0; round < 2; round++) {
            try (Producer<byte[]> producer = client.newProducer()
                    .topic("t")
                    .producerName("p")
                    .initialSequenceId(-1)
                    .enableBatching(false)
                    .create()) {
                for (int i = 0; i < 5; i++) {
                    producer.newMessage().sequenceId(i).value(bytes(i)).send();
                }
            }
            gateway.restart();
        }
        try (Producer<byte[]> producer =
                client.newProducer().topic("t").producerName("p").create()) {
            assertThat(producer.getLastSequenceId()).isEqualTo(4);
            send(producer, 5);
        }
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            expect(consumer, 0, 1, 2, 3, 4, 5);
            expectNothing(consumer);
        }
    }

    @Test
    void twoProducersOfOneNameAreOneTooMany() throws Exception {
        try (Producer<byte[]> first =
                client.newProducer().topic("t").producerName("p").create()) {
            assertThat(first.getProducerName()).isEqualTo("p");
            assertThatThrownBy(() ->
                            client.newProducer().topic("t").producerName("p").create())
                    .isInstanceOf(PulsarClientException.ProducerBusyException.class);
        }
    }

    @Test
    void saysWhyATopicCannotBeUsed() throws Exception {
        gateway.broker().createTopic(TopicName.ofDefault("parts"), 2, true);
        assertThatThrownBy(() -> client.newProducer().topic("parts-partition-7").create())
                .isInstanceOf(PulsarClientException.class)
                .hasMessageContaining("not found");
        try (Producer<byte[]> one =
                client.newProducer().topic("parts-partition-1").create()) {
            one.send(bytes(1));
        }
    }

    @Test
    void refusesASchemaOfAnotherType() throws Exception {
        try (Producer<String> strings =
                client.newProducer(Schema.STRING).topic("t").create()) {
            strings.send("x");
            assertThatThrownBy(() -> client.newProducer(Schema.INT64).topic("t").create())
                    .isInstanceOf(PulsarClientException.IncompatibleSchemaException.class);
        }
    }
}
