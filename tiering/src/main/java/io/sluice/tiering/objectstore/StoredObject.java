package io.sluice.tiering.objectstore;

/** An object as listed; {@code size} in bytes. */
public record StoredObject(String name, long size) {}
