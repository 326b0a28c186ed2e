package io.sluice.pulsar.replication.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.entry.ClusterMarker;
import io.sluice.broker.entry.EntryHeader;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Test;

class SubscriptionMarkersTest {
    private static final List<Marker> ALL = List.of(
            new Marker.Request("id", "near"),
            new Marker.Response("id", "near", "far", new Place(3, 14)),
            new Marker.Taken("id", "near", new Place(1, 2), Map.of("far", new Place(3, 14), "other", new Place(5, 9))),
            new Marker.Update("s", Map.of("far", new Place(3, 14))));

    @Test
    void markersAreReadAsTheyWereWrittenAndLieInTheLogAsControlBatches() {
        for (Marker marker : ALL) {
            ByteBuf entry =
                    ClusterMarker.entry(UnpooledByteBufAllocator.DEFAULT, SubscriptionMarkers.content(marker), 1_000);
            assertThat(ClusterMarker.is(entry, 0)).isTrue();
            assertThat(EntryHeader.isControl(entry, 0)).isTrue();
            assertThat(EntryHeader.offsets(entry, 0)).isEqualTo(1);
            assertThat(SubscriptionMarkers.read(ClusterMarker.content(entry, 0)))
                    .isEqualTo(marker);
            entry.release();
        }
    }

    @Test
    void goToTheClustersThatPulsarSendsThemTo() {
        assertThat(ALL.stream().map(SubscriptionMarkersTest::clusters))
                .containsExactly(List.of(), List.of("near"), List.of("near"), List.of());
    }

    private static List<String> clusters(Marker marker) {
        MessageMetadata metadata = new MessageMetadata();
        Commands.parseMessageMetadata(SubscriptionMarkers.content(marker), metadata);
        return metadata.getReplicateTosList();
    }

    @Test
    void whatDoesNotReadIsNone() {
        Random random = new Random(1);
        for (Marker marker : ALL) {
            ByteBuf content = SubscriptionMarkers.content(marker);
            for (int i = 0; i < 2_000; i++) {
                ByteBuf broken = content.copy(0, random.nextInt(content.readableBytes() + 1));
                for (int n = random.nextInt(3); n > 0 && broken.isReadable(); n--) {
                    broken.setByte(random.nextInt(broken.readableBytes()), random.nextInt(256));
                }
                SubscriptionMarkers.read(broken);
            }
        }
        assertThat(SubscriptionMarkers.read(Unpooled.EMPTY_BUFFER)).isNull();
    }
}
