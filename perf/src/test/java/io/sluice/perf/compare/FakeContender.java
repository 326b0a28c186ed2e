package io.sluice.perf.compare;

import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.RunningServer;
import java.nio.file.Path;
import java.util.List;

/** Speaks, but does not start. */
record FakeContender(String name, List<String> protocols) implements Contender {
    @Override
    public void prepare() {}

    @Override
    public RunningServer start(Path folder) throws PeerException {
        throw new PeerException(name + " does not start");
    }
}
