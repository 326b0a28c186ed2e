package io.sluice.perf.driver;

import java.nio.file.Path;
import java.util.List;

/** Where the libraries are of a client that cannot be on this program's class path. */
public interface ClientJars {
    /**
     * All that the stock client of a protocol needs; may take as long as a download.
     *
     * @throws Exception whose message tells a user why they are not to be had
     */
    List<Path> of(String protocol) throws Exception;
}
