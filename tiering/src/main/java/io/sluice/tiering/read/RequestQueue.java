package io.sluice.tiering.read;

import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Requests of one container: a bounded number under way, the others in the order in which they came, one for each place
 * however many ask for it. Those that are answered at once do not deepen the stack. Loop only.
 */
final class RequestQueue {
    private final int mostUnderWay;
    private final int mostAsking;
    private final Consumer<Request> start;
    private final Map<Place, Request> byPlace = new LinkedHashMap<>();
    private final ArrayDeque<Request> queued = new ArrayDeque<>();
    private int underWay;
    private int asking;
    private boolean starting;

    private record Place(long segment, long position) {
        static Place of(Request request) {
            return new Place(request.segment, request.position);
        }
    }

    /** @param start called when a request's turn has come; {@link #ended} is told of each */
    RequestQueue(ReadPolicy policy, Consumer<Request> start) {
        this.mostUnderWay = policy.requests();
        this.mostAsking = policy.waiting();
        this.start = start;
    }

    void add(long segment, long position, int maxBytes, TierReply reply) {
        if (asking >= mostAsking) {
            reply.failed(new StoreFailure.Overloaded("Too many reads wait for long-term storage"));
            return;
        }
        asking++;
        Place place = new Place(segment, position);
        Request request = byPlace.get(place);
        if (request == null) {
            request = new Request(segment, position);
            byPlace.put(place, request);
            queued.add(request);
        }
        request.join(maxBytes, reply);
        startNext();
    }

    /** Takes a request out that was under way and is about to be answered. The next one begins with {@link #startNext}. */
    void ended(Request request) {
        byPlace.remove(Place.of(request));
        asking -= request.asking();
        underWay--;
    }

    void startNext() {
        if (starting) {
            return;
        }
        starting = true;
        try {
            while (underWay < mostUnderWay && !queued.isEmpty()) {
                underWay++;
                start.accept(queued.remove());
            }
        } finally {
            starting = false;
        }
    }

    /** Takes out and returns all requests. */
    List<Request> clear() {
        List<Request> all = new ArrayList<>(byPlace.values());
        byPlace.clear();
        queued.clear();
        underWay = 0;
        asking = 0;
        return all;
    }
}
