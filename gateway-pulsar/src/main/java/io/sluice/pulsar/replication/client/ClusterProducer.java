package io.sluice.pulsar.replication.client;

import io.sluice.pulsar.replication.RemoteProducer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.impl.GeoReplicationProducerImpl;
import org.apache.pulsar.client.impl.MessageImpl;
import org.apache.pulsar.client.impl.OpSendMsgStats;
import org.apache.pulsar.client.impl.ProducerImpl;
import org.apache.pulsar.client.impl.SendCallback;
import org.apache.pulsar.client.impl.schema.SchemaInfoUtil;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/** A producer of Pulsar's client that keeps what a message's first producer has said of it, as Pulsar's replicator does. */
final class ClusterProducer implements RemoteProducer {
    private static final String POSITION = GeoReplicationProducerImpl.MSG_PROP_REPL_SOURCE_POSITION;

    private final String own;
    private final ProducerImpl<byte[]> producer;

    ClusterProducer(String own, ProducerImpl<byte[]> producer) {
        this.own = own;
        this.producer = producer;
    }

    @Override
    public void send(Outgoing entry, Sent sent) throws IOException {
        MessageImpl<byte[]> message = MessageImpl.deserializeSkipBrokerEntryMetaData(entry.content());
        MessageMetadata metadata = message.getMessageBuilder();
        message.setReplicatedFrom(own);
        message.setSchemaInfoForReplicator(
                entry.schema() == null ? null : SchemaInfoUtil.newSchemaInfo(entry.schema()));
        if (entry.schema() == null) {
            metadata.clearSchemaVersion();
        }
        metadata.clearTxnidMostBits();
        metadata.clearTxnidLeastBits();
        mark(metadata, entry.ledger() + ":" + entry.entry());
        producer.sendAsync(message, new Receipt(sent));
    }

    /** Says where it is here. What a client has called so is not sent: the producer would take it for its own. */
    private static void mark(MessageMetadata metadata, String position) {
        List<KeyValue> properties = metadata.getPropertiesList();
        if (properties.stream().anyMatch(each -> each.getKey().equals(POSITION))) {
            List<KeyValue> others = properties.stream()
                    .filter(each -> !each.getKey().equals(POSITION))
                    .map(each -> new KeyValue().copyFrom(each))
                    .toList();
            metadata.clearProperties();
            others.forEach(each -> metadata.addProperty().copyFrom(each));
        }
        metadata.addProperty().setKey(POSITION).setValue(position);
    }

    @Override
    public boolean isConnected() {
        return producer.isConnected();
    }

    @Override
    public String connection() {
        return String.valueOf(producer.getConnectionId());
    }

    @Override
    public String connectedSince() {
        return String.valueOf(producer.getConnectedSince());
    }

    @Override
    public void close() {
        producer.closeAsync();
    }

    private record Receipt(Sent sent) implements SendCallback {
        @Override
        public void sendComplete(@Nullable Throwable why, OpSendMsgStats stats) {
            sent.done(why);
        }

        @Override
        public void addCallback(MessageImpl<?> message, SendCallback callback) {
            throw new IllegalStateException("nothing is put into batches");
        }

        @Override
        public @Nullable SendCallback getNextSendCallback() {
            return null;
        }

        @Override
        public @Nullable MessageImpl<?> getNextMessage() {
            return null;
        }

        @Override
        public @Nullable CompletableFuture<MessageId> getFuture() {
            return null;
        }
    }
}
