package io.sluice.tiering.objectstore;

final class FakeObjectStoreTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open() {
        return new FakeObjectStore();
    }
}
