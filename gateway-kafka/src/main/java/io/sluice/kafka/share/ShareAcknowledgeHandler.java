package io.sluice.kafka.share;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ShareRequestMetadata;

/** ShareAcknowledge, versions 1-2: answered when what was acknowledged is durable. */
public final class ShareAcknowledgeHandler implements ApiHandler {
    private final KafkaServices services;
    private final ShareGroups groups;

    public ShareAcknowledgeHandler(KafkaServices services, ShareGroups groups) {
        this.services = services;
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.SHARE_ACKNOWLEDGE;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ShareAcknowledgeRequestData asked = (ShareAcknowledgeRequestData) request.data();
        ShareRequest what = new ShareRequest(
                asked.groupId(), asked.memberId(), asked.shareSessionEpoch(), acks(asked), asked.isRenewAck());
        ShareRequest.Refusal refusal = what.whyNot(context, services, groups);
        if (refusal != null) {
            context.fail(refusal.error(), refusal.message());
            return;
        }
        if (what.epoch() == ShareRequestMetadata.INITIAL_EPOCH) {
            context.fail(Errors.INVALID_SHARE_SESSION_EPOCH);
            return;
        }
        ShareSessions.Begun begun = groups.sessions().acknowledge(what.key(), what.epoch());
        if (begun.session() == null) {
            context.fail(begun.error());
            return;
        }
        ShareSession ended = begun.ended();
        List<SharePart> parts = what.parts(context, services, List.of());
        ShareAnswer answer = new ShareAnswer(services, context);
        int lockMillis = groups.limits(what.key().group()).lockMillis();
        new ShareAcks(what.key(), groups.partitions(), () -> context.complete(answer.acknowledged(parts, lockMillis)))
                .begin(parts, ended == null ? List.of() : ended.touched());
    }

    private static Map<ShareSession.Place, List<AckBatch>> acks(ShareAcknowledgeRequestData asked) {
        Map<ShareSession.Place, List<AckBatch>> acks = new LinkedHashMap<>();
        asked.topics()
                .forEach(topic -> topic.partitions()
                        .forEach(partition -> acks.computeIfAbsent(
                                        new ShareSession.Place(topic.topicId(), partition.partitionIndex()),
                                        _ -> new ArrayList<>(1))
                                .addAll(partition.acknowledgementBatches().stream()
                                        .map(each -> new AckBatch(
                                                each.firstOffset(), each.lastOffset(), each.acknowledgeTypes()))
                                        .toList())));
        return acks;
    }
}
