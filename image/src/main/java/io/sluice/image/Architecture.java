package io.sluice.image;

/** A processor that images are made for, and what libraries call it. */
enum Architecture {
    AMD64("x86_64", "linux64"),
    ARM64("aarch64", "linux-aarch64");

    /** As Linux says it. */
    final String machine;

    final String rocksDb;

    Architecture(String machine, String rocksDb) {
        this.machine = machine;
        this.rocksDb = rocksDb;
    }

    static Architecture ofThisMachine() {
        return System.getProperty("os.arch").equals("aarch64") ? ARM64 : AMD64;
    }

    /** As images say it. */
    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** As Java says it, and libraries after it. */
    String java() {
        return this == AMD64 ? "amd64" : "aarch64";
    }

    /** As Netty says it, in names of jars and of libraries. */
    String netty() {
        return this == AMD64 ? "x86_64" : "aarch_64";
    }
}
