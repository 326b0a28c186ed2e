package io.sluice.pulsar.replication.subscription;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pulsar.common.api.proto.ClusterMessageId;
import org.apache.pulsar.common.api.proto.MarkerType;
import org.apache.pulsar.common.api.proto.MarkersMessageIdData;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ReplicatedSubscriptionsSnapshot;
import org.apache.pulsar.common.api.proto.ReplicatedSubscriptionsSnapshotRequest;
import org.apache.pulsar.common.api.proto.ReplicatedSubscriptionsSnapshotResponse;
import org.apache.pulsar.common.api.proto.ReplicatedSubscriptionsUpdate;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Markers;
import org.jspecify.annotations.Nullable;

/** {@link Marker}s as Pulsar's messages, metadata first and without a checksum. */
final class SubscriptionMarkers {
    private SubscriptionMarkers() {}

    /** On the heap, not to be released. */
    static ByteBuf content(Marker marker) {
        ByteBuf message = switch (marker) {
            case Marker.Request r -> Markers.newReplicatedSubscriptionsSnapshotRequest(r.id(), r.from());
            case Marker.Response r ->
                Markers.newReplicatedSubscriptionsSnapshotResponse(
                        r.id(),
                        r.to(),
                        r.cluster(),
                        r.place().ledger(),
                        r.place().entry());
            case Marker.Taken t ->
                Markers.newReplicatedSubscriptionsSnapshot(
                        t.id(), t.cluster(), t.here().ledger(), t.here().entry(), data(t.places()));
            case Marker.Update u -> Markers.newReplicatedSubscriptionsUpdate(u.subscription(), data(u.places()));
        };
        try {
            Commands.skipChecksumIfPresent(message);
            return Unpooled.copiedBuffer(message);
        } finally {
            message.release();
        }
    }

    private static Map<String, MarkersMessageIdData> data(Map<String, Place> places) {
        Map<String, MarkersMessageIdData> data = new TreeMap<>();
        places.forEach((cluster, place) -> data.put(
                cluster, new MarkersMessageIdData().setLedgerId(place.ledger()).setEntryId(place.entry())));
        return data;
    }

    /** Null if it is none that is known here, or does not read. */
    static @Nullable Marker read(ByteBuf content) {
        ByteBuf in = content.duplicate();
        try {
            MessageMetadata metadata = new MessageMetadata();
            Commands.parseMessageMetadata(in, metadata);
            MarkerType type = metadata.hasMarkerType() ? MarkerType.valueOf(metadata.getMarkerType()) : null;
            return type == null ? null : read(type, metadata, in);
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static @Nullable Marker read(MarkerType type, MessageMetadata metadata, ByteBuf in) {
        int size = in.readableBytes();
        switch (type) {
            case REPLICATED_SUBSCRIPTION_SNAPSHOT_REQUEST -> {
                var request = new ReplicatedSubscriptionsSnapshotRequest();
                request.parseFrom(in, size);
                return new Marker.Request(request.getSnapshotId(), request.getSourceCluster());
            }
            case REPLICATED_SUBSCRIPTION_SNAPSHOT_RESPONSE -> {
                var response = new ReplicatedSubscriptionsSnapshotResponse();
                response.parseFrom(in, size);
                ClusterMessageId cluster = response.getCluster();
                String to = metadata.getReplicateTosCount() == 0 ? "" : metadata.getReplicateToAt(0);
                return new Marker.Response(
                        response.getSnapshotId(), to, cluster.getCluster(), place(cluster.getMessageId()));
            }
            case REPLICATED_SUBSCRIPTION_SNAPSHOT -> {
                var snapshot = new ReplicatedSubscriptionsSnapshot();
                snapshot.parseFrom(in, size);
                String cluster = metadata.getReplicateTosCount() == 0 ? "" : metadata.getReplicateToAt(0);
                return new Marker.Taken(
                        snapshot.getSnapshotId(),
                        cluster,
                        place(snapshot.getLocalMessageId()),
                        places(snapshot.getClustersList()));
            }
            case REPLICATED_SUBSCRIPTION_UPDATE -> {
                var update = new ReplicatedSubscriptionsUpdate();
                update.parseFrom(in, size);
                return new Marker.Update(update.getSubscriptionName(), places(update.getClustersList()));
            }
            default -> {
                return null;
            }
        }
    }

    private static Map<String, Place> places(List<ClusterMessageId> clusters) {
        Map<String, Place> places = new HashMap<>();
        clusters.forEach(each -> places.put(each.getCluster(), place(each.getMessageId())));
        return places;
    }

    private static Place place(MarkersMessageIdData data) {
        return new Place(data.getLedgerId(), data.getEntryId());
    }
}
