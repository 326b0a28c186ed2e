package io.sluice.transactions.peer;

import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerHandler;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.transactions.LocalTransactions;
import io.sluice.transactions.Markers.Fate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes markers of other nodes to partitions here. A request counts in the term for which it is meant, and unless a later one of the same
 * sender came before it: that one may have been told as written, and a next transaction of the same producer have begun since.
 */
final class MarkerHandler implements PeerHandler {
    /** Senders of each container whose last request is remembered; more than there are. */
    static final int MOST_SENDERS = 10_000;

    private final LocalTransactions local;
    private final Containers containers;

    /** The one that was heard of last is at the end. */
    private final LinkedHashMap<From, Last> last = new LinkedHashMap<>(16, 0.75f, true);

    private record From(UUID sender, int container) {}

    /** Guards the order of requests, so that markers are queued in it. */
    private static final class Last {
        private long number;
    }

    MarkerHandler(LocalTransactions local, Containers containers) {
        this.local = local;
        this.containers = containers;
    }

    @Override
    public CompletableFuture<byte[]> answer(Asked asked) {
        try {
            return answer(MarkerRequest.decode(asked.body()));
        } catch (IllegalArgumentException e) {
            return Fields.refused(e);
        }
    }

    private CompletableFuture<byte[]> answer(MarkerRequest request) {
        SegmentContainer container = containers.serving(request.container());
        if (container == null) {
            return CompletableFuture.failedFuture(new PeerException(
                    PeerException.Reason.NOT_OWNER, "container " + request.container() + " is not served here"));
        }
        long term = container.term();
        Last before = lastOf(new From(request.sender(), request.container()));
        Fates fates = new Fates(term, request.items().size());
        synchronized (before) {
            if (request.term() != term || request.number() <= before.number) {
                return CompletableFuture.completedFuture(new MarkerAnswer(term, null).encode());
            }
            before.number = request.number();
            for (int i = 0; i < request.items().size(); i++) {
                int at = i;
                MarkerRequest.Item item = request.items().get(i);
                var place = new LocalTransactions.Place(item.partition(), item.segment(), term);
                local.mark(place, item.marker(), fate -> fates.know(at, fate));
            }
        }
        fates.allAsked();
        return fates.answer;
    }

    private Last lastOf(From from) {
        synchronized (last) {
            Last found = last.computeIfAbsent(from, f -> new Last());
            if (last.size() > MOST_SENDERS) {
                Map.Entry<From, Last> eldest = last.firstEntry();
                last.remove(eldest.getKey());
            }
            return found;
        }
    }

    private static final class Fates {
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        private final long term;
        private final Fate[] known;
        private final AtomicInteger left;

        Fates(long term, int count) {
            this.term = term;
            known = new Fate[count];
            Arrays.fill(known, Fate.UNKNOWN);
            left = new AtomicInteger(count + 1);
        }

        void know(int at, Fate fate) {
            known[at] = fate;
            allAsked();
        }

        void allAsked() {
            if (left.decrementAndGet() == 0) {
                answer.complete(new MarkerAnswer(term, List.of(known)).encode());
            }
        }
    }
}
