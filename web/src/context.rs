//! What every component can reach: the state, the worker, and hooks over both.

use crate::client::Client;
use crate::protocol::{Failure, Reply, Request};
use crate::route::{Route, View};
use crate::store::{Action, UiState};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use yew::platform::spawn_local;
use yew::prelude::*;

/// The state as Yew's reducer wants it.
#[derive(Clone, PartialEq, Default)]
pub struct Store(pub UiState);

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Self(self.0.after(action)))
    }
}

/// State and worker.
#[derive(Clone, PartialEq)]
pub struct Ctx {
    /// The state; dispatch to change it.
    pub store: UseReducerHandle<Store>,
    /// The worker.
    pub client: Client,
}

impl Ctx {
    /// The state.
    pub fn state(&self) -> &UiState {
        &self.store.0
    }

    /// The place.
    pub fn route(&self) -> &Route {
        &self.store.0.route
    }

    /// Something happened.
    pub fn dispatch(&self, action: Action) {
        self.store.dispatch(action);
    }

    /// Go to `route`.
    pub fn go(&self, route: Route) {
        self.dispatch(Action::Go(route));
    }

    /// Go to `view`, keeping the rest of the place.
    pub fn show(&self, view: View) {
        self.go(self.route().with(view));
    }

    /// A callback that goes to `route`.
    pub fn to<E: 'static>(&self, route: Route) -> Callback<E> {
        let ctx = self.clone();
        Callback::from(move |_| ctx.go(route.clone()))
    }
}

/// The context of the page.
///
/// # Panics
/// Outside the app component.
#[hook]
pub fn use_ctx() -> Ctx {
    use_context::<Ctx>().expect("invariant: every component is inside the app")
}

/// State of one question.
#[derive(Clone, PartialEq, Default)]
pub struct Asked {
    /// The last answer that is no failure, perhaps to an older question.
    pub last: Option<Rc<Reply>>,
    /// Whether `last` answers the present question.
    pub fresh: bool,
    /// Why the present question has no answer.
    pub failure: Option<Rc<Failure>>,
}

impl Asked {
    /// The answer to the present question.
    pub fn now(&self) -> Option<&Reply> {
        self.last.as_deref().filter(|_| self.fresh)
    }
}

#[derive(Default)]
struct Flight {
    want: Option<(Request, u64)>,
    flying: bool,
}

/// Asks the worker whenever `request` or the open pool changes. At most one question of a hook is
/// under way; of those that come meanwhile only the last is asked.
#[hook]
pub fn use_reply(request: Option<Request>) -> Asked {
    let ctx = use_ctx();
    let asked = use_state_eq(Asked::default);
    let flight = use_mut_ref(Flight::default);
    let generation = ctx.state().source.generation();
    {
        let (asked, client) = (asked.clone(), ctx.client.clone());
        use_effect_with((request, generation), move |(request, generation)| {
            let mut state = (*asked).clone();
            match request.as_ref().and_then(|r| client.kept(r)) {
                Some(reply) => {
                    flight.borrow_mut().want = None;
                    asked.set(Asked { last: Some(reply), fresh: true, failure: None });
                }
                None => {
                    state.fresh = false;
                    state.failure = None;
                    asked.set(state);
                    flight.borrow_mut().want = request.clone().map(|r| (r, *generation));
                    fly(client, flight, asked.setter());
                }
            }
        });
    }
    (*asked).clone()
}

fn fly(client: Client, flight: Rc<RefCell<Flight>>, set: UseStateSetter<Asked>) {
    if flight.borrow().flying || flight.borrow().want.is_none() {
        return;
    }
    flight.borrow_mut().flying = true;
    spawn_local(async move {
        let mut last = None;
        loop {
            let Some(want) = flight.borrow().want.clone() else {
                break;
            };
            let reply = client.ask(want.0.clone()).await;
            let fresh = flight.borrow().want.as_ref() == Some(&want);
            if fresh {
                flight.borrow_mut().want = None;
            }
            let failure = match &*reply {
                Reply::Failed(failure) if fresh => Some(Rc::new(failure.clone())),
                _ => None,
            };
            if !matches!(&*reply, Reply::Failed(_)) {
                last = Some(reply);
            }
            // An answer that came too late is still shown until the right one is there.
            if fresh || last.is_some() {
                set.set(Asked { last: last.clone(), fresh: fresh && failure.is_none(), failure });
            }
        }
        flight.borrow_mut().flying = false;
    });
}

/// Width of an element in CSS pixels, 0 until it is laid out.
#[hook]
pub fn use_width(node: &NodeRef) -> u32 {
    let width = use_state_eq(|| 0u32);
    {
        let (node, width) = (node.clone(), width.clone());
        use_effect_with((), move |()| {
            let measure = {
                let node = node.clone();
                move || {
                    if let Some(element) = node.cast::<web_sys::Element>() {
                        width.set(element.client_width().max(0) as u32);
                    }
                }
            };
            measure();
            let closure = Closure::<dyn FnMut()>::new(measure);
            let observer = web_sys::ResizeObserver::new(closure.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, node.cast::<web_sys::Element>()) {
                observer.observe(&element);
            }
            move || {
                observer.into_iter().for_each(|o| o.disconnect());
                drop(closure);
            }
        });
    }
    *width
}
