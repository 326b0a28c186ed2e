package io.sluice.conformance.clients;

import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientSharedResources;
import org.apache.pulsar.client.api.PulsarClientSharedResources.SharedResource;

/**
 * Builds Pulsar clients that share one group of event loops. A client with a group of its own waits for Netty's quiet period,
 * two seconds, when it closes; that was most of what these tests took.
 */
public final class PulsarClients {
    private static final PulsarClientSharedResources LOOPS = loops();

    private PulsarClients() {}

    /** @param serviceUrl {@code pulsar://host:port} or {@code http://host:port} */
    public static ClientBuilder builder(String serviceUrl) {
        return PulsarClient.builder().serviceUrl(serviceUrl).sharedResources(LOOPS);
    }

    private static PulsarClientSharedResources loops() {
        return PulsarClientSharedResources.builder()
                .resourceTypes(SharedResource.EventLoopGroup)
                .configureEventLoop(
                        group -> group.name("test-clients").numberOfThreads(2).daemon(true))
                .build();
    }
}
