package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.pulsar.dispatch.EntryLocation;
import io.sluice.store.segment.StoreFailure;
import io.vertx.core.json.JsonObject;

/**
 * A message that a request's body names by its id.
 *
 * @param index in its batch; -1 for the whole entry
 * @param excluded whether the next one is meant
 */
record NamedMessage(long ledger, long entry, int index, boolean excluded) {
    static NamedMessage of(TopicRequest r) throws AdminException {
        JsonObject id = r.json();
        if (id.isEmpty()) {
            throw new AdminException(400, "the message's id is missing");
        }
        return new NamedMessage(
                id.getLong("ledgerId", -1L),
                id.getLong("entryId", -1L),
                id.getInteger("batchIndex", -1),
                id.getBoolean("isExcluded", id.getBoolean("excluded", false)));
    }

    SubscriptionStart start() {
        return new SubscriptionStart.AtMessage(ledger, entry, Math.max(0, index));
    }

    /** Waits for the offset of the message, or of the one behind it. */
    long offset(PartitionLog log, boolean behind) throws AdminException {
        return await(log.container().<Long>ask(answer -> {
            long offset = start().applyAsLong(log);
            if (!behind || index >= 0) {
                answer.complete(offset + (behind ? 1 : 0));
                return;
            }
            EntryLocation.find(log, offset, new EntryLocation() {
                @Override
                public void entry(long base, int count) {
                    answer.complete(base + count);
                }

                @Override
                public void gone() {
                    answer.complete(offset);
                }

                @Override
                public void failed(StoreFailure why) {
                    answer.fail(why);
                }
            });
        }));
    }
}
