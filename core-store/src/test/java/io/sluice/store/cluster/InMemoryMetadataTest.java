package io.sluice.store.cluster;

final class InMemoryMetadataTest extends MetadataContract {
    private final Metadata metadata = new InMemoryMetadata();

    @Override
    protected Metadata metadata() {
        return metadata;
    }
}
