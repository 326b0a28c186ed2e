package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rings of classes that were planted, in sources that are compiled for it. */
class ClassRingsTest {
    @TempDir
    Path folder;

    @Test
    void findsARingThroughNestedClassesFieldsAndCalls() throws IOException {
        ClassRings rings = compile(
                "class First { Second second; }",
                "class Second { static class Inner { void call() { Third.call(null); } } }",
                "interface Third { static void call(First[] all) {} }",
                "class OutsideThatUsesTheRing { First first; }",
                "class Left { Right right; }",
                "class Right { Left left; OutsideThatUsesTheRing outside; }");

        assertThat(rings.largest("planted")).containsExactly("First", "Second", "Third");
    }

    @Test
    void findsTheLargestOfTwoRingsAndNoneWhereNobodyComesBack() throws IOException {
        ClassRings rings = compile(
                "class A { B b; C c; D d; }",
                "class B { C c; }",
                "class C { B b; }",
                "class D { E e; }",
                "class E { F f; }",
                "class F { D d; B b; }");

        assertThat(rings.largest("planted")).containsExactly("D", "E", "F");
        assertThat(rings.largest("elsewhere")).isEmpty();
        assertThat(compile("class A { B b; C c; }", "class B { C c; class Inner { B outer; } }", "class C {}")
                        .largest("planted"))
                .isEmpty();
    }

    @Test
    void allowsWhatIsListedAndNoLineMore() throws IOException {
        ClassRings ring = compile("class A { B b; }", "class B { C c; }", "class C { A a; }");
        ClassRings pair = compile("class A { B b; }", "class B { A a; }", "class C {}");

        assertThat(ring.violations(list())).containsExactly("planted has a ring of 3, the list allows 0: A B C");
        assertThat(ring.violations(list("planted 2"))).hasSize(1);
        assertThat(ring.violations(list("# why", "planted 3"))).isEmpty();
        assertThat(ring.violations(list("planted 4")))
                .singleElement()
                .asString()
                .contains("lower the line");
        assertThat(pair.violations(list())).isEmpty();
        assertThat(pair.violations(list("planted 2")))
                .singleElement()
                .asString()
                .contains("take it away");
        assertThat(pair.violations(list("gone 3"))).singleElement().asString().contains("take it away");
        assertThat(ring.violations(list("planted 3", "absent 0")))
                .containsExactly("the list of exceptions is not sorted");
    }

    private Path list(String... lines) throws IOException {
        return Files.write(folder.resolve("list"), List.of(lines));
    }

    private ClassRings compile(String... sources) throws IOException {
        Path out = Files.createTempDirectory(folder, "classes");
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", out.toString()));
        for (int i = 0; i < sources.length; i++) {
            Path source = out.resolve("Source" + i + ".java");
            Files.writeString(source, "package planted; " + sources[i]);
            arguments.add(source.toString());
        }
        int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(code).isZero();
        return new ClassRings(new ClassFileImporter().importPath(out));
    }
}
