package io.sluice.broker.subscription;

import java.util.Map;

/** Name, properties and acknowledged offsets of a cursor, whatever becomes of them when the partition's term ends. Loop only. */
abstract class NamedCursor implements Cursor {
    final String name;
    Map<String, String> properties;
    final CursorState state;

    NamedCursor(String name, Map<String, String> properties, CursorState state) {
        this.name = name;
        this.properties = properties;
        this.state = state;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final Map<String, String> properties() {
        return properties;
    }

    @Override
    public final long ackedBelow() {
        return state.ackedBelow();
    }

    @Override
    public final boolean isAcked(long offset) {
        return state.isAcked(offset);
    }

    @Override
    public final long nextUnacked(long from) {
        return state.nextUnacked(from);
    }

    @Override
    public final long nextAckedAbove(long from) {
        return state.nextAckedAbove(from);
    }

    @Override
    public final long afterUnacked(long from, long count) {
        return state.afterUnacked(from, count);
    }

    @Override
    public final long countAcked(long from, long to) {
        return state.countAcked(from, to);
    }

    @Override
    public final long ackedAbove() {
        return state.ackedAbove();
    }

    @Override
    public final long ackedBytes() {
        return state.bytes();
    }

    @Override
    public final int ackedRanges() {
        return state.ranges();
    }
}
