package io.sluice.conformance.steps;

import java.io.File;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs in the server's process. The argument is {@code <type>#<method>,<before|after|instead>,<n>}: when the method is about
 * to run, or has run without a failure, for the n-th time, the process ends as by {@code kill -9}; or the method fails with an I/O
 * error instead, that time. With {@code <type>#<method>,<failing|stuck>,<file>} the method fails, or does not go on, as long as the
 * file is there. Everything else of the server is as it is shipped.
 */
public final class HaltAgent {
    /** Not that of a kill, so that the test can tell. */
    public static final int EXIT_CODE = 86;

    private static final AtomicInteger left = new AtomicInteger();
    private static volatile File present = new File("");

    private HaltAgent() {}

    public static void premain(String argument, Instrumentation instrumentation) {
        String[] fields = argument.split("[#,]", -1);
        if (fields[2].equals("failing") || fields[2].equals("stuck")) {
            present = new File(fields[3]);
        } else {
            left.set(Integer.parseInt(fields[3]));
        }
        instrumentation.addTransformer(new Insertion(fields[0], fields[1], fields[2]));
    }

    /** Called by the code that is inserted. */
    public static void reached() {
        if (left.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    /** Called by the code that is inserted. */
    public static void instead() throws IOException {
        if (left.decrementAndGet() == 0) {
            throw new IOException("Input/output error");
        }
    }

    /** Called by the code that is inserted. */
    public static void failing() throws IOException {
        if (present.exists()) {
            throw new IOException("Input/output error");
        }
    }

    /** Called by the code that is inserted. */
    public static void stuck() {
        while (present.exists()) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private record Insertion(String type, String method, String when) implements ClassFileTransformer {
        @Override
        public byte @Nullable [] transform(
                @Nullable ClassLoader loader,
                String name,
                @Nullable Class<?> redefined,
                @Nullable ProtectionDomain domain,
                byte[] bytes) {
            if (!type.equals(name)) {
                return null;
            }
            ClassFile classes = ClassFile.of();
            return classes.transformClass(
                    classes.parse(bytes),
                    ClassTransform.transformingMethodBodies(
                            each -> each.methodName().equalsString(method), new Call(when)));
        }
    }

    private record Call(String when) implements CodeTransform {
        @Override
        public void atStart(CodeBuilder code) {
            if (!when.equals("after")) {
                call(code, when.equals("before") ? "reached" : when);
            }
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            if (when.equals("after") && element instanceof ReturnInstruction) {
                call(code, "reached");
            }
            code.with(element);
        }

        private static void call(CodeBuilder code, String what) {
            code.invokestatic(ClassDesc.of(HaltAgent.class.getName()), what, MethodTypeDesc.of(ConstantDescs.CD_void));
        }
    }
}
