package io.sluice.store.sim;

/** Something that must hold does not. */
public final class Violation extends AssertionError {
    private final Class<? extends Checker> checker;

    public Violation(Class<? extends Checker> checker, String what) {
        super(checker.getSimpleName() + ": " + what);
        this.checker = checker;
    }

    public Class<? extends Checker> checker() {
        return checker;
    }
}
