package io.sluice.store.wal.bookkeeper;

import java.util.Collections;
import java.util.List;
import org.apache.bookkeeper.net.DNSToSwitchMapping;
import org.apache.bookkeeper.net.NetworkTopology;

/** Puts all bookies into one rack, where there is no script to ask; BookKeeper's own way does the same, with a warning at each start. */
public final class OneRack implements DNSToSwitchMapping {
    @Override
    public List<String> resolve(List<String> names) {
        return Collections.nCopies(names.size(), NetworkTopology.DEFAULT_REGION_AND_RACK);
    }

    @Override
    public void reloadCachedMappings() {
        // nothing is cached
    }
}
