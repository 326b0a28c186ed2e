package io.sluice.pulsar.replication.client;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.replication.RemoteCluster;
import io.sluice.pulsar.replication.RemoteProducer;
import io.sluice.pulsar.topic.TopicLists;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminBuilder;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.MessageRoutingMode;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SizeUnit;
import org.apache.pulsar.client.impl.ProducerBuilderImpl;
import org.apache.pulsar.client.impl.ProducerImpl;
import org.apache.pulsar.common.policies.data.ClusterDataImpl;
import org.jspecify.annotations.Nullable;

/**
 * Another cluster, through Pulsar's client: connections and producers for messages, its HTTP interface for topics that are not there. Over TLS its
 * certificate has to be by a trusted authority and for the host's name in the record, unless the record says {@code tlsAllowInsecureConnection}.
 */
public final class PulsarCluster implements RemoteCluster {
    private static final int SECONDS = 30;
    /** More than a replicator has under way: its own bounds hold. */
    private static final int NEVER_FULL = 1_000_000;

    private final String own;
    private final String name;
    private final ClusterDataImpl record;
    private @Nullable PulsarClient client;
    private @Nullable PulsarAdmin admin;
    private boolean closed;

    /** Connects nothing yet; see {@link RemoteCluster.Factory}. */
    public PulsarCluster(String own, String name, ClusterDataImpl record) {
        this.own = own;
        this.name = name;
        this.record = record;
    }

    @Override
    public RemoteProducer open(Topic topic, int partition) throws IOException, InterruptedException {
        PulsarClient to = client();
        makeTopic(topic, partition);
        ProducerBuilderImpl<byte[]> builder = (ProducerBuilderImpl<byte[]>) to.newProducer(Schema.AUTO_PRODUCE_BYTES());
        builder.topic(TopicLists.nameOf(topic, partition))
                .producerName("pulsar.repl." + own + "-->" + name)
                .messageRoutingMode(MessageRoutingMode.SinglePartition)
                .enableBatching(false)
                .sendTimeout(0, TimeUnit.SECONDS)
                .maxPendingMessages(NEVER_FULL)
                .maxPendingMessagesAcrossPartitions(NEVER_FULL);
        builder.getConf().setNonPartitionedTopicExpected(true);
        builder.getConf().setReplProducer(true);
        CompletableFuture<Producer<byte[]>> created = builder.createAsync();
        try {
            return new ClusterProducer(own, (ProducerImpl<byte[]>) created.get());
        } catch (ExecutionException e) {
            throw new IOException("no producer in cluster " + name + ": " + reason(e.getCause()), e.getCause());
        } finally {
            if (!created.isDone()) {
                created.thenAccept(Producer::closeAsync);
            }
        }
    }

    private static String reason(@Nullable Throwable why) {
        return why == null || why.getMessage() == null ? String.valueOf(why) : why.getMessage();
    }

    private synchronized PulsarClient client() throws IOException {
        if (closed) {
            throw new IOException("the connection to cluster " + name + " is closed");
        }
        PulsarClient known = client;
        if (known == null) {
            known = connect();
            client = known;
        }
        return known;
    }

    private boolean isTls() {
        return record.isBrokerClientTlsEnabled();
    }

    private static @Nullable String firstOf(@Nullable String wanted, @Nullable String otherwise) {
        return wanted == null || wanted.isBlank() ? otherwise : wanted;
    }

    private PulsarClient connect() throws IOException {
        String url = isTls() ? record.getBrokerServiceUrlTls() : record.getBrokerServiceUrl();
        if (url == null || url.isBlank()) {
            throw new IOException("the record of cluster " + name + " has no "
                    + (isTls() ? "brokerServiceUrlTls" : "brokerServiceUrl"));
        }
        ClientBuilder builder = PulsarClient.builder()
                .serviceUrl(url)
                .ioThreads(1)
                .listenerThreads(1)
                .statsInterval(0, TimeUnit.SECONDS)
                .memoryLimit(0, SizeUnit.BYTES)
                .keepAliveInterval(SECONDS, TimeUnit.SECONDS)
                .operationTimeout(SECONDS, TimeUnit.SECONDS);
        if (record.getAuthenticationPlugin() != null) {
            builder.authentication(AuthenticationFactory.create(
                    record.getAuthenticationPlugin(), record.getAuthenticationParameters()));
        }
        if (record.getListenerName() != null) {
            builder.listenerName(record.getListenerName());
        }
        if (record.getProxyServiceUrl() != null) {
            builder.proxyServiceUrl(record.getProxyServiceUrl(), record.getProxyProtocol());
        }
        if (isTls()) {
            builder.allowTlsInsecureConnection(record.isTlsAllowInsecureConnection())
                    .enableTlsHostnameVerification(!record.isTlsAllowInsecureConnection())
                    .useKeyStoreTls(record.isBrokerClientTlsEnabledWithKeyStore())
                    .tlsTrustCertsFilePath(record.getBrokerClientTrustCertsFilePath())
                    .tlsKeyFilePath(record.getBrokerClientKeyFilePath())
                    .tlsCertificateFilePath(record.getBrokerClientCertificateFilePath())
                    .tlsTrustStoreType(record.getBrokerClientTlsTrustStoreType())
                    .tlsTrustStorePath(record.getBrokerClientTlsTrustStore())
                    .tlsTrustStorePassword(record.getBrokerClientTlsTrustStorePassword())
                    .tlsKeyStoreType(record.getBrokerClientTlsKeyStoreType())
                    .tlsKeyStorePath(record.getBrokerClientTlsKeyStore())
                    .tlsKeyStorePassword(record.getBrokerClientTlsKeyStorePassword());
        }
        return builder.build();
    }

    // ---- topics

    /** Null where the record says nothing of the HTTP interface: topics are then made by use there, or are not. */
    private synchronized @Nullable PulsarAdmin admin() throws IOException {
        String url = isTls() ? firstOf(record.getServiceUrlTls(), record.getServiceUrl()) : record.getServiceUrl();
        if (url == null || url.isBlank() || closed) {
            return null;
        }
        PulsarAdmin known = admin;
        if (known == null) {
            PulsarAdminBuilder builder = PulsarAdmin.builder()
                    .serviceHttpUrl(url)
                    .connectionTimeout(SECONDS, TimeUnit.SECONDS)
                    .readTimeout(SECONDS, TimeUnit.SECONDS)
                    .requestTimeout(SECONDS, TimeUnit.SECONDS);
            if (record.getAuthenticationPlugin() != null) {
                builder.authentication(AuthenticationFactory.create(
                        record.getAuthenticationPlugin(), record.getAuthenticationParameters()));
            }
            if (isTls()) {
                builder.allowTlsInsecureConnection(record.isTlsAllowInsecureConnection())
                        .enableTlsHostnameVerification(!record.isTlsAllowInsecureConnection())
                        .useKeyStoreTls(record.isBrokerClientTlsEnabledWithKeyStore())
                        .tlsTrustCertsFilePath(record.getBrokerClientTrustCertsFilePath())
                        .tlsKeyFilePath(record.getBrokerClientKeyFilePath())
                        .tlsCertificateFilePath(record.getBrokerClientCertificateFilePath())
                        .tlsTrustStoreType(record.getBrokerClientTlsTrustStoreType())
                        .tlsTrustStorePath(record.getBrokerClientTlsTrustStore())
                        .tlsTrustStorePassword(record.getBrokerClientTlsTrustStorePassword())
                        .tlsKeyStoreType(record.getBrokerClientTlsKeyStoreType())
                        .tlsKeyStorePath(record.getBrokerClientTlsKeyStore())
                        .tlsKeyStorePassword(record.getBrokerClientTlsKeyStorePassword());
            }
            known = builder.build();
            admin = known;
        }
        return known;
    }

    private void makeTopic(Topic topic, int partition) throws IOException {
        PulsarAdmin to = admin();
        if (to == null) {
            return;
        }
        String whole = topic.name().toString();
        int here = partition < 0 ? 0 : topic.partitions().size();
        try {
            int there = partitionsOf(to, whole);
            if (there < 0) {
                create(to, whole, here);
                there = partitionsOf(to, whole);
            }
            if ((here == 0) != (there == 0)) {
                throw new IOException("topic " + whole + " has partitions in one of the clusters " + own + " and "
                        + name + ", and none in the other");
            }
            if (there < here) {
                to.topics().updatePartitionedTopic(whole, here);
            }
        } catch (PulsarAdminException e) {
            throw new IOException("topic " + whole + " in cluster " + name + ": " + reason(e), e);
        }
    }

    /** -1 if it is not there. */
    private static int partitionsOf(PulsarAdmin to, String topic) throws PulsarAdminException {
        try {
            return to.topics().getPartitionedTopicMetadata(topic).partitions;
        } catch (PulsarAdminException.NotFoundException e) {
            return -1;
        }
    }

    private static void create(PulsarAdmin to, String topic, int partitions) throws PulsarAdminException {
        try {
            if (partitions == 0) {
                to.topics().createNonPartitionedTopic(topic);
            } else {
                to.topics().createPartitionedTopic(topic, partitions);
            }
        } catch (PulsarAdminException.ConflictException e) {
            // another replicator was first
        }
    }

    @Override
    public void close() {
        PulsarClient open;
        PulsarAdmin http;
        synchronized (this) {
            closed = true;
            open = client;
            http = admin;
            client = null;
            admin = null;
        }
        if (open != null) {
            try {
                open.shutdown();
            } catch (PulsarClientException e) {
                // its threads are ended all the same
            }
        }
        if (http != null) {
            http.close();
        }
    }
}
