package io.sluice.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The class provokes these warnings and errors: they stay out of the log, each has to come at least once, and every other is
 * printed as ever. So whatever a green run prints at these levels is worth reading.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ExpectedLogWatch.class)
public @interface ExpectedLog {
    /** Parts of messages. */
    String[] value();
}
