package io.sluice.server;

/** Where clients connect: {@code host:port} as they are told. */
record Listeners(String kafka, String pulsar, String http) {}
