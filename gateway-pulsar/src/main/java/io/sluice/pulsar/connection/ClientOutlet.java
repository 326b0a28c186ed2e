package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerOutlet;
import io.sluice.pulsar.producer.ProducerOutlet;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.wire.OutFrame;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.apache.pulsar.common.api.proto.CommandTopicMigrated.ResourceType;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/** A connection as partitions see it, which send messages and news of producers and consumers there. Any thread. */
final class ClientOutlet implements ConsumerOutlet, ProducerOutlet {
    private final Channel channel;
    private final Outbound out;
    private final Attachments attached;
    private final Handshake handshake;
    private final NewPlaces places;
    private final Redirects redirects;
    private volatile SocketAddress address;

    ClientOutlet(
            Channel channel,
            Outbound out,
            Attachments attached,
            Handshake handshake,
            NewPlaces places,
            Redirects redirects) {
        this.channel = channel;
        this.out = out;
        this.attached = attached;
        this.handshake = handshake;
        this.places = places;
        this.redirects = redirects;
        this.address = channel.remoteAddress();
    }

    /** @param ofClient of the client, for which another node has connected */
    void actFor(InetSocketAddress ofClient) {
        address = ofClient;
    }

    @Override
    public boolean ready(Consumer consumer) {
        return out.ready(consumer);
    }

    @Override
    public long room() {
        return out.room();
    }

    @Override
    public void send(OutFrame frame) {
        out.send(frame);
    }

    @Override
    public void closeConsumer(Consumer consumer) {
        out.post(() -> close(consumer, false));
    }

    @Override
    public void partitionLeft(Consumer consumer) {
        out.post(() -> close(consumer, true));
    }

    private void close(Consumer consumer, boolean partitionLeft) {
        ClientConsumer c = attached.consumers().get(consumer.id());
        if (c == null || c.consumer() != consumer) {
            attached.nonPersistent().closed(consumer);
            return;
        }
        attached.removeConsumer(consumer.id());
        String url = null;
        if (partitionLeft) {
            attached.lateAcks().left(consumer.id(), c.participant());
            url = places.of(c.participant()).url();
        } else {
            attached.lateAcks().forget(consumer.id());
        }
        out.write(Commands.newCloseConsumer(consumer.id(), -1, ServiceUrls.plain(url), ServiceUrls.secure(url)));
    }

    @Override
    public void closeProducer(ProducerSession producer) {
        out.post(() -> {
            ClientProducer p = detached(producer);
            if (p != null) {
                p.close();
                out.write(Commands.newCloseProducer(producer.id(), -1, null, null));
            } else {
                attached.nonPersistent().closed(producer);
            }
        });
    }

    @Override
    public void partitionLeft(ProducerSession producer) {
        out.post(() -> {
            ClientProducer p = detached(producer);
            if (p != null) {
                attached.leavingProducers().add(p);
            } else {
                attached.nonPersistent().closed(producer);
            }
        });
    }

    @Override
    public void topicMigrated(ProducerSession producer) {
        out.post(() -> {
            ClientProducer p = detached(producer);
            if (p != null) {
                attached.leavingProducers().addMigrated(p);
            } else {
                attached.nonPersistent().migrated(producer);
            }
        });
    }

    @Override
    public void topicMigrated(Consumer consumer) {
        out.post(() -> {
            ClientConsumer c = attached.consumers().get(consumer.id());
            if (c != null && c.consumer() == consumer) {
                redirects.tell(ResourceType.Consumer, consumer.id(), c.topic());
                close(consumer, false);
            } else {
                attached.nonPersistent().migrated(consumer);
            }
        });
    }

    @Override
    public boolean followsMigration() {
        return redirects.areFollowed();
    }

    /** Null if the client has it no more. */
    private @Nullable ClientProducer detached(ProducerSession producer) {
        ClientProducer p = attached.producers().get(producer.id());
        if (p == null || p.session() != producer) {
            return null;
        }
        attached.producers().remove(producer.id());
        return p;
    }

    @Override
    public void activeChanged(Consumer consumer, boolean active) {
        out.post(() -> {
            if (has(consumer) && Commands.peerSupportsActiveConsumerListener(handshake.protocolVersion())) {
                out.write(Commands.newActiveConsumerChange(consumer.id(), active));
            }
        });
    }

    @Override
    public void endOfTopic(Consumer consumer) {
        out.post(() -> {
            if (has(consumer)) {
                out.write(Commands.newReachedEndOfTopic(consumer.id()));
            }
        });
    }

    private boolean has(Consumer consumer) {
        ClientConsumer c = attached.consumers().get(consumer.id());
        return c != null && c.consumer() == consumer || attached.nonPersistent().has(consumer);
    }

    @Override
    public boolean connected() {
        return channel.isActive();
    }

    @Override
    public String address() {
        return address instanceof InetSocketAddress a ? a.getAddress().getHostAddress() + ":" + a.getPort() : "unknown";
    }

    @Override
    public String clientVersion() {
        return handshake.clientVersion();
    }
}
