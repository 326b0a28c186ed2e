package io.sluice.transactions;

/** A producer as partitions know it. A higher epoch of the same id fences the lower ones. */
public record ProducerIdentity(long id, short epoch) {
    public static final ProducerIdentity NONE = new ProducerIdentity(-1, (short) -1);
}
