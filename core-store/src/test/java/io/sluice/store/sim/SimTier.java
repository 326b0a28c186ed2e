package io.sluice.store.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.InMemoryObjects;
import io.sluice.store.tier.InMemoryTier;
import io.sluice.store.tier.Tier;
import io.sluice.store.tier.TierHost;
import io.sluice.store.tier.TierRange;
import io.sluice.store.tier.TierReply;
import java.util.List;

/** Long-term storage of one owner: slow, failing, tearing uploads, and as wrong as the {@link Bug} says. */
final class SimTier implements Tier {
    private final TierHost host;
    private final InMemoryTier inner;
    private final InMemoryObjects objects;
    private final SimFaults faults;
    private final Bug bug;

    SimTier(TierHost host, SimOwner owner, InMemoryObjects objects, SimFaults faults, EventQueue events, Bug bug) {
        this.host = host;
        this.objects = objects;
        this.faults = faults;
        this.bug = bug;
        this.inner = new InMemoryTier(host, objects, new InMemoryTier.Faults() {
            @Override
            public void later(String what, Runnable step) {
                if (what.equals("read") && faults.oneIn(300)) {
                    return; // it never answers
                }
                events.add(faults.longDelay() * 2, what, () -> {
                    if (!owner.crashed()) {
                        step.run();
                    }
                });
            }

            @Override
            public int stored(int bytes) {
                return faults.oneIn(2) ? bytes : faults.upTo(bytes);
            }

            @Override
            public boolean fails(String what) {
                return faults.oneIn(6);
            }

            @Override
            public int leastRead() {
                return 8 << 10;
            }

            @Override
            public boolean shared() {
                return !faults.oneIn(4);
            }

            @Override
            public int merge(int ranges) {
                return !owner.crashed() && faults.oneIn(30) ? 2 + faults.upTo(ranges) : 0;
            }

            @Override
            public List<TierRange> sources(List<TierRange> ranges) {
                return bug == Bug.MERGE_MIXES_RANGES ? ranges.reversed() : ranges;
            }

            @Override
            public void merged(TierHost to, List<TierRange> merged) {
                if (bug == Bug.MERGE_DELETES_AT_ONCE) {
                    merged.forEach(range -> to.manifest(range.segment()).stream()
                            .filter(old -> old.position() >= range.position() && old.end() <= range.end())
                            .forEach(old -> objects.delete(old.object())));
                }
            }

            @Override
            public boolean flush(long untiered, double pressure) {
                return !owner.crashed() && (pressure > 0.5 || untiered > 20_000 || faults.oneIn(40));
            }
        });
    }

    @Override
    public int doWork(long now) {
        if (faults.oneIn(10_000)) {
            throw new IllegalStateException("planted: thrown by long-term storage");
        }
        return inner.doWork(now);
    }

    @Override
    public void read(long segment, long position, int maxBytes, TierReply reply) {
        TierRange range = host.tiered(segment, position);
        if (bug == Bug.TIER_DELETES_USED_OBJECTS && range != null) {
            objects.delete(range.object());
        }
        if (faults.oneIn(2_000)) {
            throw new IllegalStateException("planted: thrown by a read");
        }
        inner.read(segment, position, maxBytes, new TierReply() {
            @Override
            public void data(long from, ByteBuf data, boolean shared) {
                reply.data(from, bug == Bug.TIER_SPOILS_READS && faults.oneIn(3) ? spoilt(data) : data, shared);
            }

            @Override
            public void again() {
                reply.again();
            }

            @Override
            public void failed(StoreFailure why) {
                reply.failed(why);
            }
        });
    }

    @Override
    public void append(long segment, long position, ByteBuf bytes, Durable done) {
        inner.append(segment, position, bytes, done);
    }

    private static ByteBuf spoilt(ByteBuf data) {
        ByteBuf copy = Unpooled.copiedBuffer(data);
        data.release();
        return copy.setByte(0, copy.getByte(0) ^ 1);
    }

    @Override
    public void close() {
        inner.close();
    }
}
