package io.sluice.store.container;

/** Told, on the loop, how a container fares. Each at most once, {@code serving} before {@code stopped}. */
public interface ContainerListener {
    /** Recovered; requests may come. */
    void serving(Container container);

    /**
     * The term is over: the log was lost to another owner, or failed, or an invariant broke, or it was closed. Everybody
     * who waited has been told. Reopening takes a new {@link Container}, once this one {@link Container#finished has finished}.
     *
     * @param why one line
     */
    void stopped(Container container, String why);
}
