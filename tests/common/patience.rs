//! Waiting a little, natively and in a browser: what tests in real time do between two looks.

/// Lets real time pass.
#[allow(async_fn_in_trait, reason = "used within one thread, without bounds on the future")]
pub trait Patience {
    /// Waits a little.
    async fn a_little();
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    /// Blocks instead of waiting.
    pub struct Blocks;

    impl super::Patience for Blocks {
        async fn a_little() {
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }

    /// Runs a future that blocks instead of waiting.
    pub fn ready<F: Future>(future: F) -> F::Output {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("natively it blocks instead of waiting"),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use native::{Blocks, ready};

/// Waits on a browser timer.
#[cfg(target_arch = "wasm32")]
pub struct Timers;

#[cfg(target_arch = "wasm32")]
impl Patience for Timers {
    async fn a_little() {
        gloo_timers::future::TimeoutFuture::new(1).await;
    }
}
