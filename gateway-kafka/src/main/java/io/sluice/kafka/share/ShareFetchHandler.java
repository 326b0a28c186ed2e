package io.sluice.kafka.share;

import io.sluice.broker.quota.QuotaKey;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ShareRequestMetadata;
import org.jspecify.annotations.Nullable;

/**
 * ShareFetch, versions 1-2: acknowledges and fetches records for a member of a share group.
 *
 * <p>Differences from Kafka: {@code MinBytes} is of each partition, not of all; {@code BatchSize} is not looked at, batches are acquired as they
 * are; markers of transactions, records of aborted ones and offsets without a record are never acquired.
 */
public final class ShareFetchHandler implements ApiHandler {
    /** A parked fetch holds its place in line for a minute at most, whatever the client asks. */
    private static final int MAX_WAIT_MILLIS = 60_000;

    private static final byte RECORD_LIMIT = 1;

    private final KafkaServices services;
    private final ShareGroups groups;
    private final int mostBytes;

    /** @param mostBytes of an answer */
    public ShareFetchHandler(KafkaServices services, ShareGroups groups, int mostBytes) {
        this.services = services;
        this.groups = groups;
        this.mostBytes = mostBytes;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.SHARE_FETCH;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ShareFetchRequestData asked = (ShareFetchRequestData) request.data();
        ShareRequest what = new ShareRequest(
                asked.groupId(), asked.memberId(), asked.shareSessionEpoch(), acks(asked), asked.isRenewAck());
        ShareRequest.Refusal refusal = whyNot(context, asked, what);
        if (refusal != null) {
            context.fail(refusal.error(), refusal.message());
            return;
        }
        ShareSessions.Begun begun = groups.sessions()
                .fetch(
                        what.key(),
                        what.epoch(),
                        context.connection(),
                        what.acks().keySet(),
                        forgotten(asked));
        ShareSession session = begun.session();
        if (session == null) {
            context.fail(begun.error());
            return;
        }
        ShareSession ended = begun.ended();
        List<SharePart> parts = what.parts(context, services, asked.isRenewAck() ? List.of() : begun.places());
        ShareAnswer answer = new ShareAnswer(services, context);
        int lockMillis = groups.limits(what.key().group()).lockMillis();
        new ShareFetchOperation(
                        context, groups, session, parts, wish(context, asked), () -> answer.fetched(parts, lockMillis))
                .start(ended == null ? List.of() : ended.touched());
    }

    private ShareRequest.@Nullable Refusal whyNot(
            RequestContext context, ShareFetchRequestData asked, ShareRequest what) {
        ShareRequest.Refusal refusal = what.whyNot(context, services, groups);
        if (refusal != null) {
            return refusal;
        }
        if (asked.shareSessionEpoch() == ShareRequestMetadata.INITIAL_EPOCH && what.acknowledges()) {
            return new ShareRequest.Refusal(
                    Errors.INVALID_REQUEST, "a share session does not begin with acknowledgements");
        }
        boolean fetches =
                asked.maxBytes() > 0 || asked.minBytes() > 0 || asked.maxRecords() > 0 || asked.maxWaitMs() > 0;
        return asked.isRenewAck() && fetches
                ? new ShareRequest.Refusal(Errors.INVALID_REQUEST, "a request that renews does not fetch")
                : null;
    }

    private ShareWish wish(RequestContext context, ShareFetchRequestData asked) {
        if (asked.maxBytes() <= 0 || asked.maxRecords() <= 0) {
            return ShareWish.NOTHING;
        }
        int bytes = services.rates()
                .atOnce(
                        QuotaKey.CONSUMER_BYTE_RATE,
                        context.principal().name(),
                        context.clientId(),
                        Math.min(asked.maxBytes(), mostBytes));
        return new ShareWish(
                Math.min(asked.maxWaitMs(), MAX_WAIT_MILLIS),
                Math.min(asked.minBytes(), bytes),
                bytes,
                asked.maxRecords(),
                asked.shareAcquireMode() == RECORD_LIMIT);
    }

    private static Map<ShareSession.Place, List<AckBatch>> acks(ShareFetchRequestData asked) {
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

    private static Set<ShareSession.Place> forgotten(ShareFetchRequestData asked) {
        Set<ShareSession.Place> places = new HashSet<>();
        asked.forgottenTopicsData()
                .forEach(topic -> topic.partitions()
                        .forEach(partition -> places.add(new ShareSession.Place(topic.topicId(), partition))));
        return places;
    }
}
