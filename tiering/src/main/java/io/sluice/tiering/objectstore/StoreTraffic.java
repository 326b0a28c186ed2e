package io.sluice.tiering.objectstore;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Requests to an object store since the process began. Any thread. */
public final class StoreTraffic {
    private final Map<Call, Counts> counts = new EnumMap<>(Call.class);
    private final LongAdder bytesPut = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();

    /** The methods of {@link ObjectStore}. */
    public enum Call {
        PUT,
        READ,
        SIZE,
        DELETE,
        LIST
    }

    private record Counts(LongAdder calls, LongAdder failures, LongAdder requests) {}

    public StoreTraffic() {
        for (Call call : Call.values()) {
            counts.put(call, new Counts(new LongAdder(), new LongAdder(), new LongAdder()));
        }
    }

    /** One request over the network; a call makes several if it has to try again or gets its answer in pages. */
    public void requested(Call call) {
        of(call).requests.increment();
    }

    void succeeded(Call call) {
        of(call).calls.increment();
    }

    void failed(Call call) {
        of(call).calls.increment();
        of(call).failures.increment();
    }

    void put(long bytes) {
        bytesPut.add(bytes);
    }

    void read(long bytes) {
        bytesRead.add(bytes);
    }

    public long calls(Call call) {
        return of(call).calls.sum();
    }

    /** Calls that ended with an exception, after the store's own retries. */
    public long failures(Call call) {
        return of(call).failures.sum();
    }

    public long requests(Call call) {
        return of(call).requests.sum();
    }

    /** Bytes of the objects that were put. */
    public long bytesPut() {
        return bytesPut.sum();
    }

    /** Bytes of the ranges that were read. */
    public long bytesRead() {
        return bytesRead.sum();
    }

    private Counts of(Call call) {
        Counts found = counts.get(call);
        if (found == null) {
            throw new IllegalStateException("every call has its counts from the start");
        }
        return found;
    }
}
