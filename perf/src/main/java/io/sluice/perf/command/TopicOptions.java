package io.sluice.perf.command;

import picocli.CommandLine.Option;

/** Options of commands that fill one topic. */
public final class TopicOptions {
    @Option(names = "--partitions", description = "Of the topic (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--size", description = "Bytes per record (default: ${DEFAULT-VALUE}).")
    private int size;

    /** @param size bytes per record */
    public TopicOptions(int partitions, int size) {
        this.partitions = partitions;
        this.size = size;
    }

    public int partitions() {
        return partitions;
    }

    /** Bytes per record. */
    public int size() {
        return size;
    }
}
