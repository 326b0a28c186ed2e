package io.sluice.store.sim;

import java.util.Map;
import java.util.TreeMap;

/** Requests that were not answered yet, in one way or the other. */
final class SimRequests {
    private final Map<Long, SimOwner> open = new TreeMap<>();
    private long next;

    /** @return names the request */
    long asked(SimOwner owner) {
        open.put(next, owner);
        return next++;
    }

    void answered(long request) {
        open.remove(request);
    }

    /** Of the request that comes next. */
    long next() {
        return next;
    }

    /** Throws if a process that lives has not answered a request that came before {@code request}. */
    void expectAnswered(long request) {
        open.forEach((each, owner) -> {
            if (each < request && !owner.crashed()) {
                throw new AssertionError("request " + each + " is never answered by the " + owner);
            }
        });
    }
}
