//! `diagram`, `init` and `completions`: files and scripts.

use std::fs;

use crate::support::{cargo_mongo_model, demo, golden, run};

const URI: [&str; 2] = ["--uri", "mongodb://unused.invalid"];

#[test]
fn models_are_drawn() {
    let ran = run(demo(), &["diagram", URI[0], URI[1]]).code(0);
    golden("diagram.mmd", &ran.out);
    let ran = run(demo(), &["diagram", "--format", "svg", URI[0], URI[1]]).code(0);
    golden("diagram.svg", &ran.out);
    let shop = [
        "diagram", "--format", "svg", "--model", "Part", "--model", "Product", URI[0], URI[1],
    ];
    let ran = run(demo(), &shop).code(0);
    golden("../../../examples/shop.svg", &ran.out); // README's picture
    let document = run(demo(), &["diagram", "--json", URI[0], URI[1]])
        .code(0)
        .json();
    let edges = document["edges"].as_array().expect("edges");
    let kinds: Vec<&str> = edges
        .iter()
        .filter_map(|edge| edge["kind"].as_str())
        .collect();
    assert!(
        ["reference", "copy", "derived"]
            .iter()
            .all(|kind| kinds.contains(kind))
    );
}

#[test]
fn a_form_that_is_none_of_a_diagram_is_refused() {
    let path = std::env::temp_dir().join(format!("mongo-model-{}.png", std::process::id()));
    let out = path.to_str().expect("a path");
    let ran = run(demo(), &["diagram", "--out", out, URI[0], URI[1]]).code(2);
    assert!(
        ran.err.contains("no diagram is written as `.png`") && ran.err.contains(".svg"),
        "{}",
        ran.err
    );
    assert!(!path.exists());
}

#[test]
fn a_crate_gets_its_program_and_keeps_what_it_has() {
    let folder = std::env::temp_dir().join(format!("mongo-model-init-{}", std::process::id()));
    fs::create_dir_all(folder.join("src")).expect("made");
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"my-shop\"\n").expect("written");
    fs::write(folder.join("src/lib.rs"), "").expect("written");
    let path = folder.to_str().expect("a path");
    run(cargo_mongo_model(), &["init", "--path", path]).code(2);
    assert!(
        !folder.join("src/bin").exists(),
        "nothing is written without a yes"
    );
    run(cargo_mongo_model(), &["init", "--path", path, "--yes"]).code(0);
    let binary = fs::read_to_string(folder.join("src/bin/mongo-model.rs")).expect("written");
    assert!(
        binary.contains("use my_shop as _;") && binary.contains("mongo_model_tool::main()"),
        "{binary}"
    );
    let workflow =
        fs::read_to_string(folder.join(".github/workflows/mongo-model.yml")).expect("written");
    assert!(
        workflow.contains("${{ secrets.MONGODB_URI }}"),
        "{workflow}"
    );
    fs::write(folder.join("src/bin/mongo-model.rs"), "mine").expect("written");
    let ran = run(cargo_mongo_model(), &["init", "--path", path, "--yes"]).code(0);
    assert!(ran.out.contains("stays as it is"), "{}", ran.out);
    assert_eq!(
        fs::read_to_string(folder.join("src/bin/mongo-model.rs")).expect("there"),
        "mine"
    );
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(cargo_mongo_model(), &["completions", shell]).code(0);
        assert!(ran.out.contains("backfill"), "{shell}");
    }
}
