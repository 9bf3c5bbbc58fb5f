use mongo_model_protocol::begin::Role::{Begin, Delete, Echo, Insert, Move, Remove, Resume};
use mongo_model_protocol::begin::Side::{Elsewhere, Here};
use mongo_model_protocol::begin::{Begins, Born, Config, Role};
use mongo_model_protocol::run::{FLAGGED, SETTLED, can_always_settle, proves, refutes};

const PLAIN: Born = Born { side: Here, flag: false };
const FLAG: Born = Born { side: Here, flag: true };
const AWAY: Born = Born { side: Elsewhere, flag: false };

fn p(name: &str, config: Config) {
    let t = std::time::Instant::now();
    let r = std::panic::catch_unwind(|| proves(Begins(config)));
    match r {
        Ok(s) => println!("OK {name} {} {:?}", s.states, t.elapsed()),
        Err(e) => println!("BAD {name} {} {:?}", e.downcast_ref::<String>().unwrap(), t.elapsed()),
    }
}

#[test]
fn try_out() {
    let s = Config::sound;
    let _ = (can_always_settle::<Begins>, refutes::<Begins>, FLAGGED, SETTLED, FLAG, AWAY, Delete(0), Echo);
    for new_epoch in [false, true] { for named in [false, true] {
        let s = |a: &[Born], b: &[Role]| Config { new_epoch, named, ..s(a, b) };
        let tag = format!("new_epoch {new_epoch} named {named}");
        p(&format!("{tag} begin"), s(&[PLAIN], &[Begin, Resume]));
        p(&format!("{tag} move away"), s(&[PLAIN], &[Begin, Move(0, Elsewhere), Resume]));
        p(&format!("{tag} insert"), s(&[], &[Begin, Insert(0), Resume]));
        p(&format!("{tag} remove"), s(&[PLAIN], &[Begin, Remove, Begin, Resume]));
        p(&format!("{tag} remove insert"), s(&[], &[Begin, Remove, Begin, Insert(0), Resume]));
    }}
}
