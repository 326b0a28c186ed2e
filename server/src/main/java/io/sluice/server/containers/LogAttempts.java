package io.sluice.server.containers;

/** Whether it is of use to open a container whose log did not answer this process. Any thread. */
public interface LogAttempts {
    /** Each is as good as the one before: no other process could do better. */
    LogAttempts ALWAYS = new LogAttempts() {
        @Override
        public void failed(int container) {}

        @Override
        public boolean mayOpen(int container) {
            return true;
        }
    };

    /** The container's term ended here, or could not begin, because its log did not answer. Does not block. */
    void failed(int container);

    /** False while the log is known, or feared, to be out of reach: the container's lease is left to others. */
    boolean mayOpen(int container);
}
